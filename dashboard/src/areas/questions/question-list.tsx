import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, take } from '../../api.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { useCan } from '../identity/session.ts'
import { type Question, questionsQuery, refreshQuestions } from './queries.ts'
import { spotlightSearchOf } from './spotlight-search-of.ts'

/** The saved views; each opens in Spotlight, and can be watched. */
export function QuestionList({ onWatch }: { onWatch(question: Question): void }) {
	const { data, error, refetch } = useQuery(questionsQuery)
	if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows />
	if (data.questions.length === 0)
		return (
			<Empty icon="search" title="No saved views yet">
				Open <Link to="/spotlight">Spotlight</Link>, filter, and choose “Save view”.
			</Empty>
		)
	return <QuestionTable questions={data.questions} onWatch={onWatch} />
}

interface QuestionTableProps {
	questions: readonly Question[]
	onWatch(question: Question): void
}

function QuestionTable({ questions, onWatch }: QuestionTableProps) {
	const [leaving, setLeaving] = useState<Question | null>(null)
	const queries = useQueryClient()
	const [isMember, isAdmin] = [useCan('member'), useCan('admin')]
	const remove = async (id: string) => {
		await take(api.DELETE('/v1/questions/{id}', { params: { path: { id } } }))
		await refreshQuestions(queries)
	}
	return (
		<>
			<Table label="Saved views">
				<thead>
					<tr>
						<Th>View</Th>
						<Th>Shows</Th>
						<Th>Time</Th>
						<Th right>
							<span className="sr-only">Actions</span>
						</Th>
					</tr>
				</thead>
				<tbody>
					{questions.map((question) => (
						<Row key={question.id}>
							<Td className="max-w-80 min-w-40">
								<Link
									to="/spotlight"
									search={spotlightSearchOf(question)}
									className="block truncate font-medium hover:underline"
								>
									{question.name}
								</Link>
							</Td>
							<Td className="max-w-64 truncate text-ink-2">{describeQuestion(question)}</Td>
							<Td className="whitespace-nowrap text-ink-2">last {question.range}</Td>
							<Td right>
								<span className="flex justify-end gap-1">
									<Button
										small
										disabled={!isAdmin}
										aria-label={`Create alert on ${question.name}`}
										onClick={() => onWatch(question)}
									>
										Create alert
									</Button>
									<IconButton
										icon="trash"
										small
										disabled={!isMember}
										label={`Delete ${question.name}`}
										onClick={() => setLeaving(question)}
									/>
								</span>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={leaving !== null}
				onClose={() => setLeaving(null)}
				title={`Delete ${leaving?.name}?`}
				text="Alerts that watch it must be deleted first."
				action="Delete view"
				run={() => remove(leaving?.id ?? '')}
			/>
		</>
	)
}

function describeQuestion({ read, filter }: Question): string {
	const conditions = Object.entries(filter).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
	return [read, ...conditions].join(' · ')
}
