-- Sessions of browsers. They have a secret in a cookie instead of refresh tokens, of which only the hash is kept; they end
-- with the others, and besides when nobody has used them for a while.
alter table session
  alter column refresh_hash drop not null,
  alter column family_hash drop not null,
  add column cookie_hash bytea unique,
  add column used_at timestamptz,
  -- When the password was last typed: what is dangerous asks for it again.
  add column confirmed_at timestamptz,
  add constraint session_kind check (
    case when cookie_hash is null then refresh_hash is not null and family_hash is not null
      else refresh_hash is null and family_hash is null and used_at is not null and confirmed_at is not null end);
