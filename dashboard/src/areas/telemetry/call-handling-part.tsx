import { Link } from '@tanstack/react-router'
import { formatMs } from '../../lib/format.ts'
import { linkClass } from '../../ui/link.ts'
import { Badge, type Tone } from '../../ui/status.tsx'
import { parse } from '../reader/content-blocks.ts'
import type { Span } from './queries.ts'

interface Attempt {
	connection: string
	model?: string
	status: number | null
	error_type?: string
	duration_ms: number
}

/** What happened to a call in the gateway or proxy: who approved it, which attempts failed before, and where it was sent instead. */
export function CallHandlingPart({ span }: { span: Span }) {
	const { attributes } = span
	const decision = attributes['signalbox.approval.decision']
	const attempts = attemptsOf(attributes['signalbox.attempts'])
	if (typeof decision !== 'string' && attempts.length < 2) return null
	return (
		<ul aria-label="On the way" className="grid gap-1.5">
			{typeof decision === 'string' && (
				<li className="flex flex-wrap items-center gap-x-2">
					<Badge tone={decisionTones[decision] ?? 'warn'}>{decision.replaceAll('_', ' ')}</Badge>
					<Approval id={attributes['signalbox.approval.id']} />
					<span className="text-xs text-ink-3">
						waited {formatMs(Number(attributes['signalbox.approval.waited_ms'] ?? 0))}
					</span>
				</li>
			)}
			{attempts.length > 1 &&
				attempts.map((attempt, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: the order is what happened
					<li key={at} className="flex flex-wrap items-center gap-x-2">
						<Badge tone={attempt.error_type ? 'bad' : 'ok'}>
							{attempt.error_type ? attempt.error_type.replaceAll('_', ' ') : 'answered'}
						</Badge>
						<span>
							{at === 0 ? 'Attempt 1' : isElsewhere(attempts, at) ? `Fallback ${at + 1}` : `Retry ${at + 1}`}:{' '}
							{attempt.connection}
							{attempt.model && ` · ${attempt.model}`}
						</span>
						<span className="text-xs text-ink-3">{formatMs(attempt.duration_ms)}</span>
					</li>
				))}
		</ul>
	)
}

/** The same as short labels. */
export function handlingTags({ attributes, status }: Span): { text: string; isBad: boolean }[] {
	const decision = attributes['signalbox.approval.decision']
	const attempts = attemptsOf(attributes['signalbox.attempts'])
	const hasFallback = attempts.some((_, at) => at > 0 && isElsewhere(attempts, at))
	return [
		...(typeof decision === 'string'
			? [
					{
						text: decision === 'approved' ? 'approved' : `approval ${decision.replaceAll('_', ' ')}`,
						isBad: decision !== 'approved',
					},
				]
			: []),
		...(attempts.length > 1
			? [{ text: hasFallback ? 'fallback' : `${attempts.length} attempts`, isBad: false }]
			: []),
		...(status === 'denied' && decision === undefined ? [{ text: 'denied', isBad: true }] : []),
	]
}

const decisionTones: Record<string, Tone> = { approved: 'ok', denied: 'bad' }

function Approval({ id }: { id: unknown }) {
	if (typeof id !== 'string') return <span>Approval</span>
	return (
		<Link to="/approvals/$approvalId" params={{ approvalId: id }} className={linkClass}>
			Approval
		</Link>
	)
}

function attemptsOf(value: unknown): Attempt[] {
	const found = typeof value === 'string' ? parse(value) : undefined
	return Array.isArray(found) ? (found as Attempt[]) : []
}

const isElsewhere = (attempts: readonly Attempt[], at: number) =>
	attempts[at]?.connection !== attempts[at - 1]?.connection || attempts[at]?.model !== attempts[at - 1]?.model
