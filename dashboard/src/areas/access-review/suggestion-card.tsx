import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount, formatCounted } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useCan } from '../identity/session.ts'
import { type Suggestion, useSuggestion } from './queries.ts'

/** Access that could be removed, the reason, and a button that removes or restores it. */
export function SuggestionCard({ suggestion }: { suggestion: Suggestion }) {
	const [isOpen, setIsOpen] = useState(false)
	const { evidence, state } = suggestion
	return (
		<section
			aria-label={describe(suggestion)}
			className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-xl border border-line bg-surface p-4"
		>
			<div className="flex flex-wrap items-start justify-between gap-3">
				<div className="min-w-0">
					<h2 className="font-semibold">{describe(suggestion)}</h2>
					<p className="text-ink-2">
						{formatCounted(evidence.calls, 'call')} in {formatCounted(evidence.days, 'day')},{' '}
						{evidence.last_used_at === null ? (
							'never used'
						) : (
							<>
								last used <Ago at={evidence.last_used_at} />
							</>
						)}
						{evidence.given_at && (
							<>
								, granted <Ago at={evidence.given_at} />
							</>
						)}
						{state === 'applied' && (
							<>
								, applied <Ago at={suggestion.applied_at} />
							</>
						)}
						.
					</p>
					{evidence.tools_unused.length > 0 && (
						<p className="mt-1 font-mono text-xs break-words text-ink-2">
							<span className="font-sans text-ink-3">Not used: </span>
							{evidence.tools_unused.slice(0, 12).join(', ')}
							{evidence.tools_unused.length > 12 && ` and ${evidence.tools_unused.length - 12} more`}
						</p>
					)}
				</div>
				<Actions suggestion={suggestion} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
			</div>
			{isOpen && <Details suggestion={suggestion} />}
		</section>
	)
}

function Actions({
	suggestion,
	isOpen,
	onToggle,
}: {
	suggestion: Suggestion
	isOpen: boolean
	onToggle(): void
}) {
	const { apply, revert } = useSuggestion(suggestion.id)
	const canChange = useCan('access:write')
	const { toolset, applicable, state } = suggestion
	const error = apply.error ?? revert.error
	return (
		<div className="flex max-w-full flex-wrap items-center gap-2">
			<Button variant="ghost" aria-expanded={isOpen} onClick={onToggle}>
				Evidence
			</Button>
			{state === 'open' && applicable && (
				<Button variant="primary" busy={apply.isPending} disabled={!canChange} onClick={() => apply.mutate()}>
					Apply
				</Button>
			)}
			{state === 'applied' && (
				<Button busy={revert.isPending} disabled={!canChange} onClick={() => revert.mutate()}>
					Put back
				</Button>
			)}
			{!applicable && toolset && (
				<Link to="/toolsets/$toolsetId" params={{ toolsetId: toolset.id }} className={buttonClass()}>
					Open the toolset
				</Link>
			)}
			{error && <InlineError error={error} />}
		</div>
	)
}

function Details({ suggestion: { evidence, changes } }: { suggestion: Suggestion }) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line pt-3">
			{evidence.tools_used.length > 0 && (
				<div className="overflow-hidden rounded-lg border border-line">
					<Table label="Tools that were used">
						<thead>
							<tr>
								<Th>Tool</Th>
								<Th right>Calls</Th>
								<Th right>Last used</Th>
							</tr>
						</thead>
						<tbody>
							{evidence.tools_used.map(({ tool, calls, last_used_at }) => (
								<Row key={tool}>
									<Td className="font-mono text-xs">{showDirections(tool)}</Td>
									<Td right>{formatCount(calls)}</Td>
									<Td right className="text-ink-2">
										<Ago at={last_used_at} />
									</Td>
								</Row>
							))}
						</tbody>
					</Table>
				</div>
			)}
			<div>
				<h3 className="mb-1 text-xs font-medium text-ink-3">The exact change</h3>
				<JsonView value={changes} label="The exact change" />
			</div>
		</div>
	)
}

function describe({ kind, agent, server, toolset, evidence }: Suggestion): string {
	const who = agent?.name ?? 'an agent'
	const where = server?.name ?? 'its servers'
	if (kind === 'unseen_agent') return `Remove all access of ${who}, which has not called any tool`
	if (kind === 'unused_grant') return `Remove ${who}’s access to ${where}`
	const used = formatCounted(evidence.tools_used.length, 'used tool')
	if (kind === 'all_to_used_tools') return `Narrow ${who} on ${where} from all tools to the ${used}`
	const unused = formatCounted(evidence.tools_unused.length, 'unused tool')
	if (kind === 'unused_tools') return `Remove ${unused} of ${who} on ${where}`
	return `Remove ${unused} from the toolset ${toolset?.name ?? ''}`
}
