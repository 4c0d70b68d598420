"""Messages of the use cases in the words of the form."""

from auth_service.web.alert_words import in_form_words


def test_a_content_category_is_refused_without_names_of_tools_and_arguments() -> None:
    message = (
        "Music (music) is a content category, and only categories of brands can be watched. "
        "`category.list` with `scope` sponsor has them."
    )
    assert in_form_words(message).endswith("can be watched. The page Explore has them.")
