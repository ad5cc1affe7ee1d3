-- A signature names the moment at which it was given by the clock of the service, and its entry in the audit trail is dated by the clock of
-- the database. A signature whose entry says another moment would never verify, so it does not commit: nobody with the login of the service
-- dates a signature back, and a clock that is set while somebody signs leaves no signature that cannot be verified.

-- Verification allows the same: src/modules/signatures/checks.ts.
create function signature_clock_tolerance() returns interval language sql immutable as $$ select interval '15 minutes' $$;
comment on function signature_clock_tolerance() is 'The most by which the clocks of the service and of the database may differ when somebody signs.';

create function require_signature_entry() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  entered timestamptz;
begin
  with own as materialized (select tenant_id, action, resource_id, occurred_at from audit_entries
    where transaction_id = current_transaction() and xmin = pg_current_xact_id()::xid)
  select occurred_at into entered from own
    where tenant_id = new.tenant_id and action = 'signature.created' and resource_id = new.id;
  if entered is null then
    raise exception 'signature % has no entry signature.created', new.id using errcode = 'QA001';
  end if;
  if new.signed_at not between entered - signature_clock_tolerance() and entered + signature_clock_tolerance() then
    raise exception 'signature % says %, and its entry %', new.id, new.signed_at, entered using errcode = 'QA004';
  end if;
  return null;
end $$;
create constraint trigger signed_now after insert on signatures deferrable initially deferred
  for each row execute function require_signature_entry();
