import { useTitle } from '../ui/page.tsx'
import { GroupedFindings } from './groups/grouped.tsx'
import { FlatFindings } from './list/flat.tsx'
import { useQuestion } from './question.ts'

export default function FindingsPage({ params }: { params: Record<string, string> }) {
  useTitle('Findings')
  const question = useQuestion(params.id)
  // Another grouping is another list, with nothing of the former selected.
  return question.by ? (
    <GroupedFindings key={question.by} question={question} by={question.by} />
  ) : (
    <FlatFindings question={question} />
  )
}
