-- Which of these files does a row name? The sweep of the store asks it of every file there is. And no two versions share a file.
create unique index document_versions_file on document_versions (tenant_id, file_key);
