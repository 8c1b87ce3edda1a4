-- compatible-with: 0105
-- A search read all 64 findings of a block for one that has its words. Each eighth of the ids of a block has a signature of its own
-- now, of 1,024 bits. Blocks that were signed before are signed again, some at a time.
alter table finding_block add column parts bit(8192);
alter table finding_block alter column parts set storage plain;
-- Processes of the release before take only the signature from a block that changed.
create index finding_block_to_sign on finding_block (deployment_id, last_id) where signature is null or parts is null;
