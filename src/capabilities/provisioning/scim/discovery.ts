const schemaUrn = 'urn:ietf:params:scim:schemas:core:2.0'

/** RFC 7643 §5: what can be asked for here. */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: [`${schemaUrn}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: mostResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token that an owner makes in the settings of the deployment',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export const mostResults = 200
export const userSchema = `${schemaUrn}:User`
export const groupSchema = `${schemaUrn}:Group`

const kinds = [
  { id: 'User', endpoint: '/Users', description: 'A person of the deployment', schema: userSchema },
  { id: 'Group', endpoint: '/Groups', description: 'A group of the directory', schema: groupSchema },
]

/** RFC 7643 §6. */
export function resourceTypes(base: string): object[] {
  return kinds.map(({ id, ...rest }) => ({
    schemas: [`${schemaUrn}:ResourceType`],
    id,
    name: id,
    ...rest,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  }))
}

type Attribute = { name: string; type: string; [more: string]: unknown }

const plain = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
}

function attribute(name: string, description: string, more: object = {}): Attribute {
  return { name, type: 'string', description, ...plain, ...more }
}

const userAttributes = [
  attribute('userName', 'How the directory knows them', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'Their id in the directory', { caseExact: true }),
  attribute('displayName', 'Their name as it is shown'),
  attribute('name', 'The parts of their name', {
    type: 'complex',
    subAttributes: [
      attribute('givenName', 'First name'),
      attribute('familyName', 'Last name'),
      attribute('formatted', 'The whole name'),
    ],
  }),
  attribute('emails', 'One address, that for work', {
    type: 'complex',
    multiValued: true,
    subAttributes: [attribute('value', 'The address'), attribute('type', 'Always work')],
  }),
  attribute('active', 'False: no session and no token of theirs works here', { type: 'boolean' }),
  attribute('groups', 'The groups they are in', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [attribute('value', 'Id of the group'), attribute('display', 'Its name')],
  }),
]

const groupAttributes = [
  attribute('displayName', 'Its name, which the rules of the deployment go by', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('externalId', 'Its id in the directory', { caseExact: true }),
  attribute('members', 'Who is in it', {
    type: 'complex',
    multiValued: true,
    subAttributes: [attribute('value', 'Id of a user'), attribute('display', 'Their name')],
  }),
]

/** RFC 7643 §7. */
export function schemas(base: string): { id: string }[] {
  const attributes: Record<string, Attribute[]> = { User: userAttributes, Group: groupAttributes }
  return kinds.map(({ id, description, schema }) => ({
    schemas: [`${schemaUrn}:Schema`],
    id: schema,
    name: id,
    description,
    attributes: attributes[id],
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema}` },
  }))
}
