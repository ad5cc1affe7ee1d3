-- Signing by the provider of single sign-on: the person logs in there anew, and the ID token names what they are about to sign.

alter table identity_providers
  -- Which values of `amr` or `acr` say that the provider asked for a second factor.
  add column provider_mfa_values text[] not null default '{}',
  -- When the provider was seen to say whether it asked the person anew.
  add column signing_tested_at timestamptz,
  add column may_sign boolean not null default false,
  add constraint identity_providers_signing_tested check (not may_sign or signing_tested_at is not null);
-- What was seen of one issuer and client says nothing of another.
create trigger tested_anew before update on identity_providers for each row
  when ((new.issuer, new.client_id) is distinct from (old.issuer, old.client_id) and new.signing_tested_at is not null)
  execute function refuse_update();

-- The latest log-in at the provider that is known, in seconds since 1970: no log-in counts twice.
alter table user_identities add column last_auth_time bigint;
grant update (last_auth_time) on user_identities to attest_app;
drop trigger audited_update on user_identities;
drop trigger audited on user_identities;
call audited_table('user_identities', 'user', id_column => 'user_id', except_columns => '{seal,last_auth_time}');
drop trigger kept on user_identities;
create trigger kept before update on user_identities for each row
  when ((to_jsonb(old) - '{tenant_id,seal,last_auth_time}'::text[]) is distinct from (to_jsonb(new) - '{tenant_id,seal,last_auth_time}'::text[])
    or old.last_auth_time is not null and (new.last_auth_time is null or new.last_auth_time < old.last_auth_time))
  execute function refuse_update();

create table identity_provider_keys (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  provider_id bigint not null,
  issuer text not null,
  kid text,
  jwk jsonb not null,
  jwk_sha256 text not null check (jwk_sha256 ~ '^[0-9a-f]{64}$'),
  -- Made with a key of the service's: whoever can only write to the database gives a provider no key.
  seal bytea not null check (octet_length(seal) = 32),
  first_seen_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id)
);
comment on table identity_provider_keys is 'The public keys with which providers signed the proofs of signers.';
create index identity_provider_keys_key on identity_provider_keys (tenant_id, provider_id, jwk_sha256);
call tenant_table('identity_provider_keys', 'select');
grant insert (provider_id, issuer, kid, jwk, jwk_sha256, seal) on identity_provider_keys to attest_app;
call append_only('identity_provider_keys');
call audited_table('identity_provider_keys', 'identity_provider', id_column => 'provider_id');

alter table login_attempts
  -- The SHA-256 of the challenge that the ID token has to name.
  add column challenge_sha256 text check (challenge_sha256 ~ '^[0-9a-f]{64}$'),
  -- Of the second round of a test: who logged in in the first one, and when.
  add column tested_subject text,
  add column tested_auth_time bigint,
  drop constraint login_attempts_kind_check,
  add constraint login_attempts_kind_check check (kind in ('login', 'link', 'test', 'sign', 'test_signing')),
  add check ((kind = 'sign') = (challenge_sha256 is not null)),
  add check (tested_subject is null or kind = 'test_signing'),
  add check ((tested_subject is null) = (tested_auth_time is null));

alter table signing_challenges
  drop constraint signing_challenges_kind_check,
  add constraint signing_challenges_kind_check check (kind in ('passkey', 'provider'));
alter table signature_evidence
  drop constraint signature_evidence_kind_check,
  add constraint signature_evidence_kind_check check (kind in ('passkey', 'id_token'));
alter table signatures
  drop constraint signatures_method_check,
  add constraint signatures_method_check check (method in ('password', 'password_otp', 'session', 'passkey', 'provider'));
