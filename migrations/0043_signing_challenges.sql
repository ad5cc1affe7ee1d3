-- Signing without a password: the signer proves who they are over a challenge, which names the act and the content that is signed. What
-- proved it is kept with the signature, so that it can be verified for ever.

create table signing_challenges (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null default current_actor(),
  session_id bigint,
  kind text not null check (kind in ('passkey')),
  -- The canonical JSON (RFC 8785) of the acts, and its SHA-256, which is what the signer's device signs.
  text text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  begun_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > begun_at),
  proved_at timestamptz,
  evidence_id bigint,
  -- The acts that were done, by their place in the text, each with its moment.
  spent jsonb not null default '{}' check (jsonb_typeof(spent) = 'object'),
  refused_reason text check (refused_reason <> ''),
  unique (tenant_id, id),
  unique (tenant_id, sha256),
  check ((proved_at is null) = (evidence_id is null)),
  check (proved_at is not null or spent = '{}'),
  check (refused_reason is null or proved_at is null),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
comment on table signing_challenges is 'Challenges to signers: the acts and the content that a signer confirms by a passkey or at a provider, and whether they did.';
create index signing_challenges_user on signing_challenges (tenant_id, user_id);
create index signing_challenges_session on signing_challenges (tenant_id, session_id);

create table signature_evidence (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  challenge_id bigint not null,
  -- Kinds that `src/modules/signatures/evidence.ts` verifies.
  kind text not null check (kind in ('passkey')),
  -- The text of the challenge, and what the signer's device answered to it, byte for byte.
  challenge text not null,
  evidence text not null,
  -- The public key that verifies it, as a JWK.
  key jsonb not null,
  -- Of the canonical JSON of these four.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  unique (tenant_id, challenge_id),
  foreign key (tenant_id, challenge_id) references signing_challenges (tenant_id, id)
);
comment on table signature_evidence is 'What proved the identity of signers for the content that they signed.';
alter table signing_challenges add foreign key (tenant_id, evidence_id) references signature_evidence (tenant_id, id);
create index signing_challenges_evidence on signing_challenges (tenant_id, evidence_id);

call tenant_table('signing_challenges', 'select');
-- The person is that of the transaction, and what is about to be signed never changes.
grant insert (session_id, kind, text, sha256, begun_at, expires_at) on signing_challenges to attest_app;
grant update (proved_at, evidence_id, spent, refused_reason) on signing_challenges to attest_app;
call audited_table('signing_challenges', 'signing_challenge');
call tenant_table('signature_evidence', 'select');
grant insert (challenge_id, kind, challenge, evidence, key, sha256) on signature_evidence to attest_app;
call append_only('signature_evidence');
call audited_table('signature_evidence', 'signing_challenge', id_column => 'challenge_id');

-- A proof is given once and an act is done once: neither is taken back, and a refused challenge stays refused.
create trigger kept before update on signing_challenges for each row when (old.refused_reason is not null
  or (old.proved_at is not null and (new.proved_at, new.evidence_id) is distinct from (old.proved_at, old.evidence_id))
  or not new.spent @> old.spent) execute function refuse_update();

-- Formats 3 and 4 are 1 and 2 with the evidence.
alter table signatures add column evidence_id bigint,
  add foreign key (tenant_id, evidence_id) references signature_evidence (tenant_id, id);
create index signatures_evidence on signatures (tenant_id, evidence_id);
grant insert (evidence_id) on signatures to attest_app;
alter table signatures
  drop constraint signatures_method_check,
  add constraint signatures_method_check check (method in ('password', 'password_otp', 'session', 'passkey')),
  drop constraint signatures_format_check,
  add constraint signatures_format_check check (format between 1 and 4),
  drop constraint signatures_format_of_record,
  add constraint signatures_format_of_record check ((document_id is null) = (format in (2, 4))),
  add constraint signatures_format_of_evidence check ((evidence_id is null) = (format in (1, 2))),
  add constraint signatures_evidence_of_method check ((evidence_id is null) = (method in ('password', 'password_otp', 'session')));
call people_only('signing_challenges', 'user_id');
