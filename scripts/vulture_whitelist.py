"""Names that no line of the packages uses, with the reason why they stay. Read by vulture alone."""

# pyright: reportUnusedExpression=false, reportUndefinedVariable=false, reportUnknownMemberType=false
# ruff: noqa: B018, F821, SLF001

# Commands, which the command line loads by their names.
_.demo
_.doctor
_.import_channel
_.logout
_.support_bundle
_.up

# Read by Stripe's library.
_.enable_telemetry

# Authlib calls these methods of grants, clients and endpoints, and reads these settings of them.
_.CLIENT_AUTH_METHOD
_.CLIENT_AUTH_METHODS
_.EXPIRES_IN
_.INTERVAL
_.TOKEN_ENDPOINT_AUTH_METHODS
_.authenticate_token
_.check_client_secret
_.check_endpoint_auth_method
_.check_response_type
_.create_introspection_payload
_.create_oauth2_request
_.generate_user_code
_.get_allowed_scope
_.get_audiences
_.get_verification_uri
_.handle_response
_.query_client
_.resolve_client_public_key
_.revoke_token
_.save_authorization_code
_.save_device_credential
_.validate_authorization_redirect_uri
_.validate_jti
_.validate_requested_scope
_.validate_token_request
kwargs

# joserfc reads these limits of an algorithm registry.
_.max_header_length
_.max_payload_length

# uvicorn calls the methods and reads the attributes.
_._unsupported_upgrade_warning
_.capture_signals
_.eof_received
_.keep_alive
_.send_400_response
_.should_exit
_.timeout_keep_alive_task
_.total_requests
_.waiting_for_100_continue
_._unset_keepalive_if_required
_.on_header

# Starlette, psycopg, pydantic, procrastinate, gRPC and `with` do the same with these.
_.field_title_should_be_set
_.get_retry_decision
_.intercept_service
_.isolation_level
_.nullable_schema
_.redirect_slashes
_.settings_customise_sources
traceback

# zipfile reads it.
_.external_attr

# Migrations call these.
create_index_concurrently
fill_in_batches
forget_fill

# typer registers these commands by a decorator of a sub-command.
list_accounts
list_keys
show

# Fields of results and of a backup's manifest: an encoder reads all of a dataclass.
_.latest_sponsors
_.pg_dump
_.previous_period
_.repeat_rate
_.requests_per_month
_.requests_remaining
_.requests_used
_.shared_youtubers
_.similar_youtubers
_.sponsored_share
_.top_youtubers

# Templates read these fields of a consent's client.
_.destination
_.name_checked
_.verified
_.voucher

# Of the protocol: tools of the conformance suite send these two kinds of request.
roots
sampling

# The tests' view of the generated page of metrics, and of the stand-in for YouTube.
_.begin_again
all_metrics

# Filters of searches, which the statement reads by their names.
_.sponsored_by_categories
_.kinds_mask
_.any_of_kinds

# Read by typer and by rich.
sponsorgraph
_.overflow

# Read by the template of the operator's page.
_.detectors
_.top_accounts

# Called by the command line by its name.
_.RetryImport

# Templates of pages with data read these.
_.arguments_json
_.csv_path
_.href
_.sorts_shown_only
_.counted_orders
