-- compatible-with: 0105
-- outside-a-transaction
-- Lists that leave archived repositories out ask first whether there are any: in most deployments there are none.
create index concurrently repository_archived on repository (deployment_id) where archived;
