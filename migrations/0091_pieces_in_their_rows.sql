-- The words of a piece take some 2,100 bytes, just more than PostgreSQL keeps in a row by itself: it put each piece's words aside, in two
-- parts, and a search that compares the pieces of a page looked them up one by one. Pieces that were read before move when they are read
-- again (`qms reindex --all`).
alter table document_chunks set (toast_tuple_target = 4080);
