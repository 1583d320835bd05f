import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api.ts'
import { formatBytes, formatCount, formatDateTime, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { toPathText } from '../../lib/path-text.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { CopyText } from '../../ui/copy.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { linkClass } from '../../ui/link.ts'
import { Facts, Panel } from '../../ui/page.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { HooksPart } from '../model-hooks/hooks-part.tsx'
import { CompareButton } from '../reader/compare-dialog.tsx'
import { Conversation, jsonIn } from '../reader/conversation.tsx'
import { JsonTree } from '../reader/json-tree.tsx'
import { BilledPart } from './billed-part.tsx'
import { CacheMissPart } from './cache-miss-part.tsx'
import { CallHandlingPart } from './call-handling-part.tsx'
import { CallViewsPart } from './call-views-part.tsx'
import { kindName, outcomeOf, subjectOf, tokensOf } from './describe-span.ts'
import { callContentQuery, type Span } from './queries.ts'
import { type ToolLink, ToolLinksPart } from './tool-links-part.tsx'

type Tab = 'content' | 'details' | 'attributes'

interface SpanDetailProps {
	id: string
	span: Span
	links: readonly ToolLink[]
}

/** Everything that is known of one span: its content, its figures, and its sender's attributes. */
export function SpanDetail({ id, span, links }: SpanDetailProps) {
	const hasContent = span.kind === 'model_call' || span.kind === 'tool_call'
	const [chosen, setChosen] = useState<Tab | null>(null)
	const tab =
		chosen === null || (chosen === 'content' && !hasContent) ? (hasContent ? 'content' : 'details') : chosen
	const content = {
		value: 'content' as const,
		label: span.kind === 'tool_call' ? 'Arguments & result' : 'Conversation',
		content: <CallContent span={span} />,
	}
	const attributes = Object.keys(span.attributes).length + Object.keys(span.resource).length
	return (
		<section id={id} tabIndex={-1} aria-label="Selected span">
			<Panel
				title={subjectOf(span)}
				actions={
					<>
						<StatusBadge status={outcomeOf(span)} />
						<CompareButton span={span} />
					</>
				}
			>
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
					{(span.status_message || span.error_type) && <Failure span={span} />}
					<CallHandlingPart span={span} />
					<p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2 tabular-nums">
						{keyFigures(span).map(([name, value]) => (
							<span key={name}>
								<span className="text-ink-3">{name}</span> {value}
							</span>
						))}
					</p>
					<Tabs<Tab>
						label="Span"
						value={tab}
						onChange={setChosen}
						tabs={[
							...(hasContent ? [content] : []),
							{ value: 'details', label: 'Details', content: <Details span={span} links={links} /> },
							{
								value: 'attributes',
								label: 'Attributes',
								count: attributes,
								content: <Attributes span={span} />,
							},
						]}
					/>
				</div>
			</Panel>
		</section>
	)
}

/** What went wrong, and the error of the server or provider. */
function Failure({ span }: { span: Span }) {
	return (
		<div role="note" className="rounded-md bg-bad-soft px-3 py-2">
			{span.error_type && <p className="font-medium text-bad">{span.error_type.replaceAll('_', ' ')}</p>}
			{span.status_message && <p className="wrap-anywhere whitespace-pre-wrap">{span.status_message}</p>}
		</div>
	)
}

function keyFigures(span: Span): [string, string][] {
	const isModel = span.kind === 'model_call'
	return [
		['Duration', formatMs(span.duration_ms)],
		...(span.time_to_first_token_ms === null
			? []
			: ([['First token', formatMs(span.time_to_first_token_ms)]] as [string, string][])),
		...(isModel
			? ([
					['Tokens', formatCount(tokensOf(span))],
					['Cost', span.cost_nano_usd === null ? 'unpriced' : formatNanoUsd(span.cost_nano_usd)],
				] as [string, string][])
			: []),
	]
}

function Details({ span, links }: Pick<SpanDetailProps, 'span' | 'links'>) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-5">
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
				<Part title="Cost breakdown">
					<BilledPart ledger={span.ledger} />
				</Part>
			)}
		</div>
	)
}

function Attributes({ span }: { span: Span }) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-5">
			<MapPart title="Attributes" map={span.attributes} />
			<MapPart title="Resource" map={span.resource} />
			{span.events.length > 0 && (
				<Part title={`Events (${span.events.length})`}>
					<JsonTree value={span.events} label="Events" />
				</Part>
			)}
			{span.links.length > 0 && (
				<Part title={`Links (${span.links.length})`}>
					<JsonView value={span.links} label="Links" />
				</Part>
			)}
		</div>
	)
}

type FactList = (readonly [string, ReactNode])[]

function mainFacts(span: Span): FactList {
	const { agent, server, session_id, user_id } = span
	const facts: [string, ReactNode][] = [
		['Kind', `${kindName[span.kind]} · ${span.source.replaceAll('_', ' ')}`],
		['Name', span.name],
		['Started', formatDateTime(span.started_at)],
		['Duration', formatMs(span.duration_ms)],
		[
			'Agent',
			agent ? (
				<Link key="agent" to="/agents/$agentId" params={{ agentId: agent.uuid }} className={linkClass}>
					{showDirections(agent.name)}
				</Link>
			) : (
				span.agent_name
			),
		],
		[
			'Server',
			server ? (
				<Link key="server" to="/servers/$serverId" params={{ serverId: server.id }} className={linkClass}>
					{showDirections(server.name)}
				</Link>
			) : (
				span.server_name
			),
		],
		['Tool', span.tool],
		['Service', span.service_name],
		['Client', span.client],
		[
			'Session',
			session_id && (
				<Link
					key="session"
					to="/sessions/$sessionId"
					params={{ sessionId: toPathText(session_id) }}
					className={linkClass}
				>
					{session_id}
				</Link>
			),
		],
		[
			'User',
			user_id && (
				<Link key="user" to="/users" search={{ user: user_id }} className={linkClass}>
					{user_id}
				</Link>
			),
		],
		[
			'Sizes',
			span.request_bytes + span.response_bytes > 0 &&
				`${formatBytes(span.request_bytes)} in · ${formatBytes(span.response_bytes)} out`,
		],
		['Span ID', <CopyText key="id" text={span.span_id} />],
	]
	return facts.filter(([, value]) => value)
}

function modelFacts(span: Span): FactList {
	const { tokens } = span
	const facts: [string, ReactNode][] = [
		['Provider', span.provider],
		['Connection', span.connection],
		['Requested model', span.model_requested],
		['Response model', span.model],
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
						<dd className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
							{jsonIn(value) === undefined ? String(value) : <JsonTree value={jsonIn(value)} label={name} />}
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

/** The content of a call: the conversation of a model call, or the arguments and result of a tool call. */
function CallContent({ span }: { span: Span }) {
	const { data, error } = useQuery(callContentQuery(span))
	if (data) {
		const shown = data.messages
			.filter(({ kind }) => kind !== 'settings' && kind !== 'tool')
			.map(({ kind, name, text }) => ({ kind, role: name, text, cut: isCut(span, kind) }))
		return <Conversation messages={shown} />
	}
	if (error && !(error instanceof ApiError && error.status === 404)) return <InlineError error={error} />
	if (!error) return <SkeletonRows rows={4} />
	return (
		<p className="text-ink-3">
			No message content captured.{' '}
			{span.source === 'otlp'
				? 'The sender of this span leaves it out; most libraries have a setting for it.'
				: 'Recording is off for this workspace, server or connection, or the call carried none.'}
		</p>
	)
}

const isCut = ({ attributes }: Span, kind: string) =>
	kind === 'result' && attributes['signalbox.result_cut'] !== undefined
