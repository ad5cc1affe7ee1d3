-- Whoever can write to the database could turn the claim that names a person, map a group of their own to the role Admin or admit another second
-- factor, and add an entry that says so. So the settings of a provider carry a seal that is made with a key of the service's. A provider from
-- before has none, and lets nobody in until an Admin confirms its settings.
alter table identity_providers add column seal bytea check (octet_length(seal) = 32);
