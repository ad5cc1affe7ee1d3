-- A user whose e-mail address somebody else has changed is told at the former address too.

alter table mails add column address text check (address <> '');
comment on column mails.address is 'Sent there instead of to the address of the user.';
