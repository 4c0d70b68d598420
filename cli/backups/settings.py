"""Settings of backups: the keys that they are encrypted for, and the storage that has copies of them."""

from typing import Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from servicekit.settings import URL_SCHEMES, FileReadingSettings
from servicekit.settings_errors import check_url


class BackupKeySettings(FileReadingSettings):
    """Keys in the format of age."""

    model_config = SettingsConfigDict(env_prefix="BACKUP_", frozen=True, extra="ignore")

    recipients: str = Field(
        default="",
        description="Public keys (`age1…`), separated by spaces or commas: any of their private keys reads "
        "new backups. Empty: that of the first of `BACKUP_IDENTITIES`; without either, backups are not encrypted.",
    )
    identities: SecretStr = Field(
        default=SecretStr(""),
        description="Private keys (`AGE-SECRET-KEY-1…`), one a line, newest first: all are tried when a "
        "backup is read.",
    )


class BackupStorageSettings(FileReadingSettings):
    """A bucket of a storage with S3's protocol. Without credentials those of its surroundings are used (`AWS_…`, a role)."""

    model_config = SettingsConfigDict(env_prefix="BACKUP_S3_", frozen=True, extra="ignore")

    bucket: str = Field(
        default="",
        description="The bucket that each backup is copied to once it is made. Empty: backups stay in their folder.",
    )
    prefix: str = Field(default="", description="The folder in the bucket.")
    endpoint: str = Field(
        default="",
        description="URL of the storage, where it is not that of AWS in `BACKUP_S3_REGION`.",
    )
    region: str = Field(default="us-east-1", description="The region of the bucket.")
    access_key_id: str = Field(default="", description="The name of the access key.")
    secret_access_key: SecretStr = Field(
        default=SecretStr(""), description="The secret of the access key."
    )
    ca_file: str = Field(
        default="",
        description="Certificates of the authority of the storage, where it is a private one.",
    )
    unencrypted: bool = Field(
        default=False,
        description="Copy backups that are not encrypted, and restore such copies though `BACKUP_IDENTITIES` is given.",
    )
    days: int = Field(
        default=30,
        ge=1,
        description="Copies of so many days are deleted once a newer one is there.",
    )
    keep: int = Field(
        default=7, ge=1, description="So many of the newest copies are never deleted."
    )
    retry_seconds: float = Field(
        default=120,
        gt=0,
        le=280,
        description="A request that fails is repeated for so long.",
    )

    @field_validator("endpoint")
    @classmethod
    def _is_url(cls, setting: str) -> str:
        if setting:
            check_url(setting, ("https", "http"))
        return setting

    @model_validator(mode="after")
    def _credential_is_whole(self) -> Self:
        parts = (self.access_key_id, self.secret_access_key.get_secret_value())
        if self.bucket and any(parts) and not all(parts):
            raise ValueError(
                "A credential needs access_key_id and secret_access_key together: set both, or neither for "
                "those of the surroundings"
            )
        return self


class BackupCheckSettings(FileReadingSettings):
    """The server of `backup check`."""

    model_config = SettingsConfigDict(env_prefix="BACKUP_CHECK_", frozen=True, extra="ignore")

    server_url: SecretStr | None = Field(
        default=None,
        description="URL of a Postgres, of a role that may create databases, where backups are restored to be checked. "
        "Empty: one is started for it, below `TMPDIR`.",
    )

    @field_validator("server_url")
    @classmethod
    def _is_url(cls, setting: SecretStr | None) -> SecretStr | None:
        if setting and setting.get_secret_value():
            check_url(setting.get_secret_value(), URL_SCHEMES["database_url"])
        return setting
