-- A new document and its version are inserted by one statement with the rows that refer to them, so their ids are drawn before.
grant usage on sequence documents_id_seq, document_versions_id_seq to attest_app;
