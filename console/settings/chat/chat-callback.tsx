import { useEffect, useState } from 'react'
import { queryClient, refresh } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/contracts.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { useSessionState } from '../../api/session.ts'
import { parseSearch } from '../../app/address/address.ts'
import { go } from '../../app/address/location.ts'
import { Link } from '../../ui/link.tsx'
import { Card, Page, PageHead } from '../../ui/page.tsx'
import { ErrorBox, Waiting } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { readCallback, takeInstall } from './chat-events.ts'

type Outcome = { slug: string } & ({ installation: Answer<'completeChatInstallation'> } | { problem: Problem })

/** Where the chat service sends the browser back to. The code works once, so it is taken out of the address at once. */
export default function ChatCallback() {
  const deployments = useSessionState().session!.deployments
  const [given] = useState(() => ({
    callback: readCallback(parseSearch(location.search)),
    slug: takeInstall(sessionStorage),
  }))
  const [outcome, setOutcome] = useState<Outcome>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code can be sent only once
  useEffect(() => {
    go('/chat/callback', { replace: true })
    const fitting = deployments.filter((each) => each.permissions.includes('chat:write'))
    const deployment =
      fitting.find((each) => each.slug === given.slug) ?? (fitting.length === 1 ? fitting[0] : undefined)
    const slug = deployment?.slug ?? deployments[0]?.slug ?? ''
    const fail = (detail: string) => setOutcome({ slug, problem: asProblem(new Error(detail)) })
    if ('error' in given.callback) return fail(`The chat service did not allow it: ${given.callback.error}`)
    if (!deployment)
      return fail('It is not known for which deployment this is. Start the installation again from its settings.')
    call('completeChatInstallation', { params: { deploymentId: deployment.id }, body: given.callback })
      .then(async (installation) => {
        await refresh(queryClient, ['getChatInstallation', 'listChatChannels'])
        setOutcome({ slug, installation })
      })
      .catch((error: unknown) => setOutcome({ slug, problem: asProblem(error) }))
  }, [])
  return (
    <Page narrow>
      <PageHead title="Installing the chat app" />
      {!outcome && <Waiting />}
      {outcome && 'installation' in outcome && (
        <Card title="Installed">
          <p role="status">
            The app is in{' '}
            <Foreign text={outcome.installation.team_name || outcome.installation.enterprise_name || 'the workspace'} />
            .
          </p>
          <div className="row">
            <Link className="button primary" to={`/d/${outcome.slug}/settings/chat`}>
              Choose what channels are told
            </Link>
          </div>
        </Card>
      )}
      {outcome && 'problem' in outcome && (
        <>
          <ErrorBox problem={outcome.problem} />
          {outcome.slug && (
            <div className="row">
              <Link className="button" to={`/d/${outcome.slug}/settings/chat`}>
                Back to the chat settings
              </Link>
            </div>
          )}
        </>
      )}
    </Page>
  )
}
