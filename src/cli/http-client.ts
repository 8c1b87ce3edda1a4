/** Half of what the client has, so it is loaded where a server is asked and not before: `await import('…/http-client.ts')`. */
export { EnvHttpProxyAgent, request } from 'undici'
