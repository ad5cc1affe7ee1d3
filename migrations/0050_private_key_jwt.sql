-- A client proves itself to a provider by a key, where the provider takes that: no secret leaves the service then. `client_secret` holds the
-- private key, sealed as a secret is and for this purpose.
alter table identity_providers
  drop constraint identity_providers_token_auth_check,
  add constraint identity_providers_token_auth_check check (token_auth in ('client_secret_basic', 'client_secret_post', 'private_key_jwt'));
