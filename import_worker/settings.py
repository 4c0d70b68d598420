"""Settings of the import worker."""

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from servicekit.process.addresses import is_loopback
from servicekit.settings import DatabaseSettings, GrpcServerSettings


class ImportSettings(GrpcServerSettings, DatabaseSettings):
    """Read from variables that begin with `IMPORT_`."""

    # A message about settings that do not fit together repeats none of them: there are keys among them.
    model_config = SettingsConfigDict(env_prefix="IMPORT_", hide_input_in_errors=True)

    grpc_port: int = Field(default=8103, ge=0, le=65535, description="Port of the gRPC server.")
    catalog_target: str = Field(
        default="127.0.0.1:8101", description="gRPC address of the catalog, which findings go to."
    )
    operator_token: SecretStr = Field(
        default=SecretStr(""),
        description="Secret that the `sponsorgraph` command sends with operators' calls. While it "
        "is empty, those calls are refused.",
    )
    valkey_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        description="Valkey or Redis, in which all workers count YouTube's units together.",
    )
    youtube_api_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key of YouTube's Data API v3. While it is empty, the public feeds are read, "
        "which show the newest videos alone.",
    )
    youtube_url: str = Field(
        default="https://youtube.googleapis.com", description="Where YouTube's API answers."
    )
    youtube_feed_url: str = Field(
        default="https://www.youtube.com", description="Where YouTube's public feeds are."
    )
    youtube_daily_units: int = Field(
        default=10_000, ge=1, description="Units of YouTube's API that may be used a day."
    )
    youtube_timeout_seconds: float = Field(
        default=15.0, gt=0, description="Longest that a response from YouTube may take."
    )
    sponsorblock_url: str = Field(
        default="",
        description="Where SponsorBlock answers, such as https://sponsor.ajay.app: the segments that its viewers marked "
        "become evidence. Its data are under CC BY-NC-SA 4.0. While it is empty, it is never asked.",
    )
    sponsorblock_timeout_seconds: float = Field(
        default=5.0,
        gt=0,
        description="Longest that SponsorBlock may take for a batch of videos, which are imported without it then.",
    )
    concurrency: int = Field(
        default=4, ge=1, description="Imports that one worker process runs at a time."
    )
    max_attempts: int = Field(
        default=8, ge=1, description="Failures in a row after which an import is given up."
    )
    retry_seconds: float = Field(
        default=5.0, gt=0, description="First wait after a failure; it doubles with each."
    )
    retry_max_seconds: float = Field(
        default=900.0, gt=0, description="Longest wait between two attempts."
    )
    refresh_days: int = Field(
        default=7,
        ge=0,
        description="Days after which a followed channel is imported again; 0 for never.",
    )
    follow_hours: float = Field(
        default=6.0,
        ge=0,
        description="Hours after which the public feed of a followed channel is checked, which costs no units; new videos "
        "in it begin an import of them. 0 for never.",
    )
    follow_units_share: float = Field(
        default=0.8,
        ge=0,
        le=1,
        description="Share of the day's units from which on feeds begin no imports: the rest is for what accounts ask for.",
    )
    reread_days: int = Field(
        default=30,
        ge=0,
        description="Days for which the refresh of a followed channel does not read a video from YouTube again, unless it "
        "reached an age at which views are compared (1, 2, 3, 7, 14, 30, 60, 90, 180 or 365 days). An import that an account "
        "asks for reads all of its videos.",
    )
    redetect_automatically: bool = Field(
        default=True,
        description="Stored videos that an older detector has read are read again by themselves after an upgrade; "
        "otherwise by `sponsorgraph detect rerun`.",
    )
    stalled_seconds: float = Field(
        default=10.0,
        ge=1,
        description="Silence of a worker after which others take up its jobs. It shows life three "
        "times as often.",
    )
    reader_url: str = Field(
        default="",
        description="Base of the addresses of an OpenAI-compatible endpoint, such as https://llm.example/v1, whose model "
        "reads titles and descriptions that the detector is unsure of. While it is empty, nothing is sent to anybody.",
    )
    reader_model: str = Field(
        default="",
        max_length=100,
        description="The model that reads there; sponsorships that it confirmed or found name it.",
    )
    reader_key: SecretStr = Field(
        default=SecretStr(""), description="Key of that endpoint, if it wants one."
    )
    reader_from: float = Field(
        default=0.35,
        ge=0,
        le=1,
        description="Probability of a candidate from which on the second reader reads its video.",
    )
    reader_to: float = Field(
        default=0.85,
        ge=0,
        le=1,
        description="Probability from which on the detector is believed without it.",
    )
    reader_channel_requests: int = Field(
        default=100,
        ge=0,
        description="Requests to the second reader that one channel may cost a day (UTC), repeated ones included.",
    )
    reader_timeout_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Longest that a whole response of the second reader may take.",
    )
    reader_max_attempts: int = Field(
        default=3, ge=1, le=10, description="Requests for one text before the detector is believed."
    )
    reader_concurrency: int = Field(
        default=4, ge=1, description="Requests to the second reader that one worker has in flight."
    )

    @model_validator(mode="after")
    def _second_reader_is_usable(self) -> Self:
        if self.reader_url:
            _check_reader_address(self.reader_url, has_key=bool(self.reader_key.get_secret_value()))
            if not self.reader_model.strip():
                raise ValueError("reader_url needs a reader_model")
            if self.reader_from >= self.reader_to:
                raise ValueError("reader_from is not below reader_to")
        return self


def _check_reader_address(url: str, *, has_key: bool) -> None:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("reader_url is no address of HTTP")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("reader_url has a user, a query or a fragment; a key goes into reader_key")
    if has_key and parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError("reader_key is sent over https alone, or to this machine")
