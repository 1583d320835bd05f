import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatDateTime, formatMs } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { shownCost } from '../spotlight/figures.tsx'
import { breakdownQuery } from '../spotlight/queries.ts'
import { outcomeOf, subjectOf } from '../telemetry/describe-span.ts'
import { type Span, spansQuery } from '../telemetry/queries.ts'
import { callAddress, callIn } from './compare-search.ts'

const Dialog = lazy(async () => ({ default: (await import('../../ui/dialog.tsx')).Dialog }))
const range = { start: '-30d' }
const shown = 20

/** Chooses what to compare with the open call or session. */
export function CompareButton(props: { span: Span } | { session: string }) {
	const [isOpen, setIsOpen] = useState(false)
	return (
		<>
			<Button small={'span' in props} onClick={() => setIsOpen(true)}>
				Compare
			</Button>
			{isOpen && (
				<Suspense>
					<Dialog open wide onClose={() => setIsOpen(false)} title="Compare with">
						{'span' in props ? <OtherCalls span={props.span} /> : <OtherSessions session={props.session} />}
					</Dialog>
				</Suspense>
			)}
		</>
	)
}

/** The newest calls of the same tool or model, or one whose address is pasted. */
function OtherCalls({ span }: { span: Span }) {
	const [text, setText] = useState('')
	const pasted = callIn(text)
	const { data, error, refetch } = useQuery(
		spansQuery({
			...range,
			kind: span.kind,
			...(span.kind === 'tool_call' && span.tool && { tool: span.tool }),
			...(span.kind === 'model_call' && span.model && { model: span.model }),
			...(span.kind === 'other' && { filter: [`name=${span.name}`] }),
			limit: 200,
		}),
	)
	const needle = text.trim().toLowerCase()
	const isFound = (other: Span) =>
		[
			other.agent?.name,
			other.agent_name,
			other.user_id,
			other.session_id,
			other.status,
			other.trace_id,
			other.span_id,
		].some((part) => part?.toLowerCase().includes(needle))
	const others = (data?.spans ?? []).filter(
		(other) => callAddress(other) !== callAddress(span) && (needle === '' || isFound(other)),
	)
	return (
		<>
			<DelayedSearch
				label="Agent, user, session, status, or a pasted address"
				value={text}
				onChange={setText}
				className="max-w-none"
			/>
			{pasted && (
				<List label="Pasted call">
					<li>
						<Link
							to="/compare"
							search={{ calls: [callAddress(span), pasted] }}
							className="flex min-h-9 items-center px-2 font-medium hover:bg-hover"
						>
							Compare with the pasted call
						</Link>
					</li>
				</List>
			)}
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={4} />
			) : others.length === 0 && !pasted ? (
				<p className="mt-3 text-ink-3">No other calls of {subjectOf(span)} match in the last 30 days.</p>
			) : (
				<List label="Other calls">
					{others.slice(0, shown).map((other) => (
						<li key={callAddress(other)}>
							<Link
								to="/compare"
								search={{ calls: [callAddress(span), callAddress(other)] }}
								className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1 hover:bg-hover"
							>
								<StatusBadge status={outcomeOf(other)} />
								<span className="min-w-0 flex-1 truncate font-medium">
									{other.agent?.name ?? other.agent_name ?? other.service_name ?? subjectOf(other)}
								</span>
								<span className="text-xs text-ink-2 tabular-nums">{formatDateTime(other.started_at)}</span>
								<span className="text-xs text-ink-2 tabular-nums">{formatMs(other.duration_ms)}</span>
							</Link>
						</li>
					))}
				</List>
			)}
		</>
	)
}

function OtherSessions({ session }: { session: string }) {
	const [text, setText] = useState('')
	const wanted = text.trim()
	const { data, error, refetch } = useQuery(
		breakdownQuery({
			by: 'sessions',
			range,
			filter: wanted ? { filter: [`session~=${wanted}`] } : {},
			sort: 'last_seen',
			limit: shown + 1,
			compare: false,
			groups: [],
		}),
	)
	const others = (data?.rows ?? []).filter(({ name }) => name !== session)
	return (
		<>
			<DelayedSearch label="Session contains" value={text} onChange={setText} className="max-w-none" />
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={4} />
			) : others.length === 0 ? (
				<p className="mt-3 text-ink-3">No other sessions match in the last 30 days.</p>
			) : (
				<List label="Other sessions">
					{others.slice(0, shown).map(({ key, name, last_seen_at, ...figures }) => (
						<li key={key}>
							<Link
								to="/compare"
								search={{ sessions: [session, name] }}
								className="flex min-h-9 items-center gap-3 px-2 hover:bg-hover"
							>
								<span className="min-w-0 flex-1 truncate font-medium">{name}</span>
								<span className="text-xs text-ink-2 tabular-nums">{shownCost(figures)}</span>
								<span className="text-xs text-ink-2 tabular-nums">{formatDateTime(last_seen_at)}</span>
							</Link>
						</li>
					))}
				</List>
			)}
		</>
	)
}

function List({ label, children }: { label: string; children: ReactNode }) {
	return (
		<ul
			aria-label={label}
			className="mt-3 max-h-96 divide-y divide-line overflow-y-auto rounded-md border border-line"
		>
			{children}
		</ul>
	)
}
