import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type FormEvent, useState } from 'react'
import type { Receipt } from '../../src/capabilities/scans/contract.ts'
import { refresh } from '../api/ask.ts'
import { addressOf, send } from '../api/call.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { useDeployment, useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { ReceiptView } from './receipt.tsx'

/** Lockfiles, bills of materials and SARIF logs by drop, with the same receipt as from the command line. */
export default function UploadPage() {
  const to = usePathTo()
  const { id: deploymentId, role } = useDeployment()
  const hint = ['owner', 'admin'].includes(role)
    ? 'Made if there is none of this name.'
    : 'Made if there is none of this name, unless repositories are hidden from you. Then it has to be one that you see.'
  const { why } = useMay('scans:write')
  const client = useQueryClient()
  const [files, setFiles] = useState<File[]>([])
  const [over, setOver] = useState(false)
  const [receipt, setReceipt] = useState<Receipt>()
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const add = (more: FileList | null) => setFiles((before) => [...before, ...(more ?? [])].slice(0, 1_000))
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    add(event.dataTransfer.files)
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const scan = {
      repository: text('repository'),
      ref: text('ref'),
      tool: 'gatehouse-console',
      ...(text('commit') && { commit: text('commit') }),
    }
    const body = new FormData()
    body.append('scan', new Blob([JSON.stringify(scan)], { type: 'application/json' }))
    for (const file of files) body.append(file.webkitRelativePath || file.name, file)
    setBusy(true)
    setProblem(undefined)
    try {
      const headers = { accept: 'application/json', 'x-gatehouse': 'console', 'idempotency-key': crypto.randomUUID() }
      const response = await send(addressOf('uploadScan', { params: { deploymentId } }), {
        method: 'POST',
        headers,
        body,
      })
      setReceipt((await response.json()) as Receipt)
      setFiles([])
      await refresh(client, ['listScans', 'listRepositories', 'searchFindings', 'countFindings'])
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page narrow>
      <PageHead
        title="Upload a scan"
        back={{ to: to('scans'), label: 'Scans' }}
        about="Lockfiles, bills of materials and SARIF logs. Formats are recognised by their content."
      />
      {receipt ? (
        <>
          <ReceiptView receipt={receipt} />
          <div>
            <Button onClick={() => setReceipt(undefined)}>Upload another</Button>
          </div>
        </>
      ) : (
        <Card>
          <form className="form" onSubmit={(event) => void submit(event)}>
            <div className="pair">
              <Input
                label="Repository"
                name="repository"
                required
                maxLength={300}
                placeholder="group/project"
                hint={hint}
              />
              <Input label="Branch or tag" name="ref" required maxLength={250} defaultValue="main" />
              <Input label="Commit" name="commit" pattern="[0-9a-f]{7,64}" placeholder="optional" />
            </div>
            <label
              className={over ? 'drop over' : 'drop'}
              onDragOver={(event) => {
                event.preventDefault()
                setOver(true)
              }}
              onDragLeave={() => setOver(false)}
              onDrop={drop}
            >
              <strong>Drop files here</strong>
              <span className="muted">or choose them</span>
              <input type="file" multiple aria-label="Files" onChange={(event) => add(event.target.files)} />
            </label>
            {files.length > 0 && (
              <ul className="stack tight small">
                {files.map((file) => (
                  <li key={file.name} className="row">
                    <Foreign text={file.name} mono />{' '}
                    <span className="muted num">{file.size.toLocaleString('en')} bytes</span>
                  </li>
                ))}
              </ul>
            )}
            {problem && <ErrorBox problem={problem} />}
            <div className="row">
              <Button
                type="submit"
                look="primary"
                why={why ?? (files.length === 0 ? 'Choose a file first.' : busy ? 'Being uploaded' : undefined)}
              >
                {busy ? 'Uploading' : 'Upload'}
              </Button>
              {files.length > 0 && <Button onClick={() => setFiles([])}>Clear</Button>}
            </div>
          </form>
        </Card>
      )}
    </Page>
  )
}
