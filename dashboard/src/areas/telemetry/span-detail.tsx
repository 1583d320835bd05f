import type { ReactNode } from 'react'
import { formatBytes, formatCount, formatDateTime, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { CopyText } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { HooksPart } from '../model-hooks/hooks-part.tsx'
import { BilledPart } from './billed-part.tsx'
import { CacheMissPart } from './cache-miss-part.tsx'
import { CallViewsPart } from './call-views-part.tsx'
import { kindName, outcomeOf, subjectOf, tokensOf } from './describe-span.ts'
import type { Span } from './queries.ts'
import { type ToolLink, ToolLinksPart } from './tool-links-part.tsx'

/** Everything that is known of one span. */
export function SpanDetail({ span, links }: { span: Span; links: readonly ToolLink[] }) {
	return (
		<Panel
			title={subjectOf(span)}
			actions={<StatusBadge status={outcomeOf(span)} />}
			className="xl:sticky xl:top-4"
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-5">
				{span.status_message && (
					<p className="rounded-md bg-sunken px-3 py-2 break-words text-ink-2">{span.status_message}</p>
				)}
				<Facts facts={mainFacts(span)} />
				<HooksPart attributes={span.attributes} />
				<CacheMissPart span={span} />
				<ToolLinksPart span={span} links={links} />
				<CallViewsPart span={span} />
				{span.kind === 'model_call' && (
					<Part title="Model">
						<Facts facts={modelFacts(span)} />
					</Part>
				)}
				{span.ledger.length > 0 && (
					<Part title="Billed">
						<BilledPart ledger={span.ledger} />
					</Part>
				)}
				<MapPart title="Attributes" map={span.attributes} />
				<MapPart title="Resource" map={span.resource} />
				{span.events.length > 0 && (
					<Part title={`Events (${span.events.length})`}>
						<JsonView value={span.events} label="Events" />
					</Part>
				)}
				{span.links.length > 0 && (
					<Part title={`Links (${span.links.length})`}>
						<JsonView value={span.links} label="Links" />
					</Part>
				)}
			</div>
		</Panel>
	)
}

type FactList = (readonly [string, ReactNode])[]

function mainFacts(span: Span): FactList {
	const facts: [string, ReactNode][] = [
		['Kind', `${kindName[span.kind]} · ${span.source.replaceAll('_', ' ')}`],
		['Name', span.name],
		['Started', formatDateTime(span.started_at)],
		['Duration', formatMs(span.duration_ms)],
		['Agent', span.agent?.name],
		['Server', span.server?.name],
		['Tool', span.tool],
		['Service', span.service_name],
		['Client', span.client],
		['Session', span.session_id && <CopyText text={span.session_id} />],
		['User', span.user_id],
		['HTTP status', span.http_status],
		['Error', span.error_type],
		[
			'Sizes',
			span.request_bytes + span.response_bytes > 0 &&
				`${formatBytes(span.request_bytes)} in · ${formatBytes(span.response_bytes)} out`,
		],
		['Span id', <CopyText key="id" text={span.span_id} />],
	]
	return facts.filter(([, value]) => value)
}

function modelFacts(span: Span): FactList {
	const { tokens } = span
	const facts: [string, ReactNode][] = [
		['Provider', span.provider],
		['Connection', span.connection],
		['Asked for', span.model_requested],
		['Served', span.model],
		[
			'Tokens',
			`${formatCount(tokensOf(span))}${span.usage_source && span.usage_source !== 'reported' ? ` (${span.usage_source})` : ''}`,
		],
		['Input', formatCount(tokens.input)],
		['Cache read', tokens.cache_read > 0 && formatCount(tokens.cache_read)],
		['Cache write', tokens.cache_write > 0 && formatCount(tokens.cache_write)],
		['Output', formatCount(tokens.output)],
		['Reasoning', tokens.reasoning > 0 && formatCount(tokens.reasoning)],
		['Cost', span.cost_nano_usd === null ? 'unpriced' : formatNanoUsd(span.cost_nano_usd)],
		['First token', span.time_to_first_token_ms !== null && formatMs(span.time_to_first_token_ms)],
	]
	return facts.filter(([, value]) => value)
}

function MapPart({ title, map }: { title: string; map: Record<string, unknown> }) {
	const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
	if (entries.length === 0) return null
	return (
		<Part title={title}>
			<dl className="divide-y divide-line rounded-lg border border-line">
				{entries.map(([name, value]) => (
					<div key={name} className="px-3 py-1.5">
						<dt className="font-mono text-xs break-all text-ink-3">{name}</dt>
						<dd className="font-mono text-xs break-words whitespace-pre-wrap">
							{typeof value === 'string' ? value : JSON.stringify(value)}
						</dd>
					</div>
				))}
			</dl>
		</Part>
	)
}

function Part({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section>
			<h3 className="mb-2 text-xs font-medium text-ink-3">{title}</h3>
			{children}
		</section>
	)
}
