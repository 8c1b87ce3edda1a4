import { Component, type ReactNode } from 'react'
import type { Permission } from '../../../src/kernel/access/permission.ts'
import { asProblem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Empty, ErrorBox } from '../../ui/states.tsx'
import { useMay } from '../deployment.ts'

/** A page that fails, fails alone; one that the person may not see says so. */
export function PageGuard({ needs, children }: { needs: Permission | undefined; children: ReactNode }) {
  return <Catch>{needs ? <Needs permission={needs}>{children}</Needs> : children}</Catch>
}

function Needs({ permission, children }: { permission: Permission; children: ReactNode }) {
  const { may, why } = useMay(permission)
  if (may) return children
  return (
    <Page>
      <PageHead title="Not visible to you" />
      <Empty title="Not visible to you">
        <p>{why} An owner or admin of the deployment can change it.</p>
      </Empty>
    </Page>
  )
}

class Catch extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    if (isCodeMissing(this.state.error)) return <CodeMissing />
    return (
      <Page>
        <PageHead title="This page failed" />
        <ErrorBox problem={asProblem(this.state.error)} retry={() => this.setState({ error: undefined })} />
      </Page>
    )
  }
}

/** In the words of Chromium, Firefox and Safari. */
function isCodeMissing(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|importing a module script/i.test(error.message)
}

/** The server was upgraded while the page was open: the code of its other pages has other names now. */
function CodeMissing() {
  return (
    <Page>
      <PageHead title="This page could not be loaded" />
      <Empty title="Gatehouse has another version now, or does not answer">
        <p>Load the page again to go on with what the server has.</p>
        <Button look="primary" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </Empty>
    </Page>
  )
}
