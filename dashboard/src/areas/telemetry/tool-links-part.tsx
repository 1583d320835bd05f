import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { Badge, type Tone } from '../../ui/status.tsx'
import type { Span } from './queries.ts'

export type ToolLink = Schemas['ToolLink']

/**
 * For a span's part in tool calls: the model call that requested the tool, the call that ran, and the request that received the
 * result.
 */
export function ToolLinksPart({ span, links }: { span: Span; links: readonly ToolLink[] }) {
	const isHere = (place: Place | null) => place?.trace_id === span.trace_id && place.span_id === span.span_id
	const own = links.filter(
		({ asked_by, runs, returned_in }) => isHere(asked_by) || runs.some(isHere) || isHere(returned_in),
	)
	if (own.length === 0) return null
	return (
		<section>
			<h3 className="mb-2 text-xs font-medium text-ink-3">Tool call</h3>
			<ul className="divide-y divide-line rounded-lg border border-line">
				{own.map((link) => (
					<li
						key={`${link.asked_by.span_id} ${link.tool_use_id ?? link.name}`}
						className="grid grid-cols-[minmax(0,1fr)] gap-1 px-3 py-2"
					>
						<div className="flex flex-wrap items-center justify-between gap-2">
							<span className="font-mono text-xs break-all">{link.name}</span>
							<Confidence confidence={link.confidence} />
						</div>
						<div className="flex flex-wrap gap-x-3 text-xs text-ink-2">
							<Step label="requested" place={link.asked_by} isHere={isHere(link.asked_by)} />
							{link.runs.map((run) => (
								<Step key={run.span_id} label={`ran (${run.status})`} place={run} isHere={isHere(run)} />
							))}
							{link.returned_in && (
								<Step label="result returned" place={link.returned_in} isHere={isHere(link.returned_in)} />
							)}
						</div>
					</li>
				))}
			</ul>
		</section>
	)
}

interface Place {
	trace_id: string
	span_id: string
}

function Step({ label, place, isHere }: { label: string; place: Place; isHere: boolean }) {
	if (isHere) return <span className="font-medium">{label} here</span>
	return (
		<Link
			to="/traces/$traceId"
			params={{ traceId: place.trace_id }}
			search={{ span: place.span_id }}
			className="underline underline-offset-2"
		>
			{label}
		</Link>
	)
}

const tones = { exact: 'ok', strong: 'ok', weak: 'warn' } as const satisfies Record<string, Tone>
const words = { exact: 'by its id', strong: 'the only one it can be', weak: 'several could be it' } as const

function Confidence({ confidence }: Pick<ToolLink, 'confidence'>) {
	if (!confidence) return <Badge tone="idle">executed outside Signalbox</Badge>
	return <Badge tone={tones[confidence]}>{words[confidence]}</Badge>
}
