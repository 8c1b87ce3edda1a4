import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { createKeyRotation } from '../../vault/rotation/key-rotation.ts'
import { checkCredentials } from './credential-checks.ts'

const gatehouse = await openGatehouse()
const admin = new pg.Client(gatehouse.connection)
await admin.connect()
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const keys = createKeyRotation(gatehouse, 'a test')

async function enter(token: string): Promise<number> {
  const config = { name: token, url: 'https://r.example.com', ecosystem: 'npm' }
  const made = await gatehouse.call('POST', configs, {
    body: { packageManagerConfigForInsert: { config, npm: { token } } },
  })
  return made.body.packageManagerConfig.id
}

test('the doctor names stored credentials that were swapped in the database, and nothing of what is in them', async () => {
  const ids: number[] = []
  for (let n = 0; n < 12; n++) ids.push(await enter(`canary ${n}`))
  assert.deepEqual(await checkCredentials(keys), {
    part: 'stored credentials',
    state: 'ok',
    detail: 'all of them open',
  })
  await put(ids[0]!, ids[1]!)
  const one = await checkCredentials(keys)
  assert.equal(one.state, 'problem')
  assert.equal(one.detail, `cannot be opened: package_manager_config ${ids[0]} of deployment 1`)
  for (const id of ids) if (id !== ids[1]) await put(id, ids[1]!)
  const many = await checkCredentials(keys)
  assert.match(many.detail, / and 1 more$/)
  assert.doesNotMatch(JSON.stringify(many), /canary/)
})

test('of more credentials than are read at once none is passed over', async () => {
  const { id } = await gatehouse.addDeployment()
  await admin.query(
    `insert into package_manager_config (deployment_id, name, url, registry_type, ecosystem, requires_auth,
      use_network_broker, maven_repository_type, credentials_kind, credentials)
    select $1, 'Filled ' || n, 'https://r.example.com', 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH', 'npm', true, false,
      'MAVEN_REPOSITORY_TYPE_UNSPECIFIED', 'npm', (select credentials from package_manager_config order by id limit 1)
    from generate_series(1, 1100) n`,
    [id],
  )
  const found = (await keys.findUnreadable()).filter((name) => name.endsWith(` of deployment ${id}`))
  assert.equal(new Set(found).size, 1_100)
})

function put(into: number, from: number) {
  return admin.query(
    `update package_manager_config held set credentials = other.credentials from package_manager_config other
     where held.id = $1 and other.id = $2`,
    [into, from],
  )
}
