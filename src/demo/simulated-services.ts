import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startChatService } from '../sandbox/chat-service.ts'
import { startCloudsecService } from '../sandbox/cloudsec-service.ts'
import { startDevopsService } from '../sandbox/code-hosts/devops-service.ts'
import { startIdentityProvider } from '../sandbox/identity-provider.ts'
import { startCargoRegistry } from '../sandbox/registries/cargo-registry.ts'
import { startGoProxy } from '../sandbox/registries/go-proxy.ts'
import { startMavenRegistry } from '../sandbox/registries/maven-registry.ts'
import { startNpmRegistry } from '../sandbox/registries/npm-registry.ts'
import { startPypiRegistry } from '../sandbox/registries/pypi-registry.ts'
import { startSmtpSink } from '../sandbox/smtp-sink.ts'
import { startTrackerService } from '../sandbox/tracker/tracker-service.ts'

export type SimulatedServices = Awaited<ReturnType<typeof startSimulatedServices>>

export const devops = {
  tenantId: '5f7c1d90-3c2e-4a0b-9d8e-61b2a7c4e3f0',
  clientId: 'c2a9e7b4-08d1-4f6e-b35a-7e9d0c1f2a38',
  organization: 'meadow',
  project: 'Shop',
}

/** The world around the demo, as servers on this machine. */
export async function startSimulatedServices() {
  const identityProvider = await startIdentityProvider()
  const devopsService = await startDevopsService({ whose: identityProvider.whose })
  const chat = await startChatService()
  const tracker = await startTrackerService()
  const cloudsec = await startCloudsecService()
  const smtp = await startSmtpSink()
  const npm = await startNpmRegistry()
  const pypi = await startPypiRegistry()
  const maven = await startMavenRegistry()
  const cargo = await startCargoRegistry()
  const go = await startGoProxy()
  const token = randomBytes(18).toString('base64url')
  const ownNpm = { ...(await startNpmRegistry({ token })), token }
  identityProvider.register(devops.tenantId, devops.clientId)
  devopsService.addProject(devops.organization, devops.project, [devops.clientId])

  /** What Gatehouse has to be told to live in this world. */
  const settings = {
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
    GATEHOUSE_IDENTITY_PROVIDER_URL: identityProvider.url,
    GATEHOUSE_CHAT_CLIENT_ID: chat.app.clientId,
    GATEHOUSE_CHAT_CLIENT_SECRET: chat.app.clientSecret,
    GATEHOUSE_CHAT_URL: chat.url,
    GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    GATEHOUSE_SMTP_FROM: 'gatehouse@meadow.example',
    GATEHOUSE_MAIL_DOMAINS: 'meadow.example',
    GATEHOUSE_NPM_UPSTREAM: npm.url,
    GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl,
    GATEHOUSE_MAVEN_UPSTREAM: maven.url,
    GATEHOUSE_CARGO_UPSTREAM: cargo.url,
    GATEHOUSE_GO_UPSTREAM: go.url,
  }

  const places = {
    'identity provider': identityProvider.url,
    'DevOps service': devopsService.url,
    chat: chat.url,
    tracker: tracker.url,
    'cloud security': cloudsec.url,
    mail: settings.GATEHOUSE_SMTP_URL,
    'npm registry': npm.url,
    'Python index': pypi.indexUrl,
    'Maven repository': maven.url,
    'Cargo registry': cargo.url,
    'Go module proxy': go.url,
  }

  const registries = { npm, pypi, maven, cargo, go, ownNpm }

  async function close(): Promise<void> {
    const all = Object.values(registries)
    const servers = [identityProvider, devopsService, chat, tracker, cloudsec, smtp, ...all]
    await Promise.all(servers.map((server) => server.close()))
  }

  /** What was mailed to an address, once it is there. */
  async function mailTo(address: string): Promise<string> {
    const deadline = Date.now() + 30_000
    while (Date.now() < deadline) {
      const mail = smtp.mails.find(({ to }) => to === address)
      if (mail) return Buffer.from(mail.data.split('\r\n\r\n')[1]!, 'base64').toString('utf8')
      await delay(20)
    }
    throw new Error(`nothing was mailed to ${address}`)
  }

  return { identityProvider, devopsService, chat, tracker, cloudsec, ...registries, settings, places, mailTo, close }
}
