import Type from 'typebox'
import { NamedObject } from '../../kernel/contract/schema.ts'

/** `writeOnly`: a secret, and so is everything in it. It is in no answer, and no message quotes it. */
const secret = { writeOnly: true }

// No control characters: a line break in a password could forge a header where it is used.
const printable = '^[^\\u0000-\\u001f\\u007f]+$'

function SecretText(description: string) {
  return Type.String({ minLength: 1, maxLength: 4096, pattern: printable, description })
}

export const Login = NamedObject(
  'RegistryLogin',
  { username: SecretText('User name'), password: SecretText('Password, or a token in its place') },
  secret,
)

export const NpmCredentials = NamedObject(
  'NpmCredentials',
  { token: Type.Optional(SecretText('Access token; or basicAuth, not both')), basicAuth: Type.Optional(Login) },
  secret,
)

export const CodeArtifactCredentials = NamedObject(
  'CodeArtifactCredentials',
  {
    assumeRoleArn: Type.String({
      minLength: 1,
      maxLength: 2048,
      pattern: '^arn:[!-~]+$',
      description: 'The cloud role to assume for a token of the managed registry',
    }),
  },
  secret,
)
