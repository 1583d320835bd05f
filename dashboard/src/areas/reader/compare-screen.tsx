import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatBytes, formatCount, formatDateTime, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { toPathText } from '../../lib/path-text.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Icon } from '../../ui/icons.tsx'
import { linkClass, parentLink } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { type Session, type SessionCall, sessionQuery } from '../sessions/queries.ts'
import { hasCallFailed, nameOfCall } from '../sessions/session-reader.tsx'
import { allTokens, nanoUsdOf } from '../spotlight/figures.tsx'
import { kindIcon, kindText, subjectOf, tokensOf } from '../telemetry/describe-span.ts'
import { callContentQuery, type Span, traceQuery } from '../telemetry/queries.ts'
import { Conversation, readableMessage } from './conversation.tsx'
import {
	type Fact,
	FactTable,
	isKnown,
	LineDifferences,
	numberFact,
	pairLines,
	textFact,
} from './differences.tsx'

const route = getRouteApi('/_app/compare')

/** What is the same in two calls or two sessions, and what is not? */
export function CompareScreen() {
	const { calls, sessions } = route.useSearch()
	const navigate = route.useNavigate()
	const swap = () =>
		void navigate({
			search: calls
				? { calls: [calls[1], calls[0]] }
				: sessions
					? { sessions: [sessions[1], sessions[0]] }
					: {},
			replace: true,
		})
	return (
		<Page
			wide
			title={sessions ? 'Compare sessions' : 'Compare calls'}
			above={
				<Link to={sessions ? '/sessions' : '/traces'} {...parentLink}>
					{sessions ? 'Sessions' : 'Calls & traces'}
				</Link>
			}
			actions={
				(calls || sessions) && (
					<Button icon="refresh" onClick={swap}>
						Swap sides
					</Button>
				)
			}
		>
			{calls ? (
				<CompareCalls key={calls.join()} calls={calls} />
			) : sessions ? (
				<CompareSessions key={sessions.join('\n')} sessions={sessions} />
			) : (
				<Panel>
					<Empty icon="trace" title="Nothing to compare yet">
						Open a call or a session and choose “Compare”, or mark two lines of a list.
					</Empty>
				</Panel>
			)}
		</Page>
	)
}

function useCall(address: string) {
	const [traceId = '', spanId = ''] = address.split('/')
	const { data, error, refetch } = useQuery(traceQuery(traceId))
	return {
		span: data?.spans.find((span) => span.span_id === spanId),
		isRead: data !== undefined,
		error,
		refetch,
	}
}

function CompareCalls({ calls }: { calls: readonly [string, string] }) {
	const sides = [useCall(calls[0]), useCall(calls[1])] as const
	const failed = sides.find(({ error, isRead }) => error && !isRead)
	if (failed) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />
	if (sides.some(({ isRead }) => !isRead)) return <SkeletonRows rows={8} />
	const [left, right] = [sides[0].span, sides[1].span]
	if (!left || !right)
		return (
			<Panel>
				<Empty icon="search" title="Call not found">
					One of the two calls is past its retention, or in another workspace.
				</Empty>
			</Panel>
		)
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<FactTable
				facts={factsOfCalls([left, right])}
				heads={[<CallHead key="a" span={left} />, <CallHead key="b" span={right} />]}
			/>
			<Contents spans={[left, right]} />
		</div>
	)
}

function CallHead({ span }: { span: Span }) {
	return (
		<span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
			<Link
				to="/traces/$traceId"
				params={{ traceId: span.trace_id }}
				search={{ span: span.span_id }}
				className="inline-flex min-h-6 items-center font-medium whitespace-normal wrap-anywhere hover:underline"
			>
				{subjectOf(span)}
			</Link>
			<StatusBadge status={span.status} />
		</span>
	)
}

function factsOfCalls(pair: readonly [Span, Span]): Fact[] {
	const tokens = (name: string, of: (span: Span) => number) => numberFact(name, pair, of, formatCount)
	const isModel = pair.some(({ kind }) => kind === 'model_call')
	const facts = [
		textFact('Status', pair, ({ status }) => status),
		textFact('Error', pair, ({ error_type }) => error_type?.replaceAll('_', ' ')),
		textFact('Error message', pair, ({ status_message }) => status_message),
		textFact('Started', pair, ({ started_at }) => formatDateTime(started_at)),
		numberFact('Duration', pair, ({ duration_ms }) => duration_ms, formatMs),
		numberFact('First token', pair, ({ time_to_first_token_ms }) => time_to_first_token_ms, formatMs),
		textFact('Server', pair, ({ server, server_name }) => server?.name ?? server_name),
		textFact('Tool', pair, ({ tool }) => tool),
		textFact('Requested model', pair, ({ model_requested }) => model_requested),
		textFact('Response model', pair, ({ model }) => model),
		textFact('Provider', pair, ({ provider }) => provider),
		textFact('Connection', pair, ({ connection }) => connection),
		...(isModel
			? [
					tokens('Input tokens', (span) => span.tokens.input),
					tokens('Cache read tokens', (span) => span.tokens.cache_read),
					tokens('Cache write tokens', (span) => span.tokens.cache_write),
					tokens('Output tokens', (span) => span.tokens.output),
					tokens('Reasoning tokens', (span) => span.tokens.reasoning),
					tokens('Tokens', tokensOf),
					numberFact('Cost', pair, costOf, (value) => formatNanoUsd(String(value))),
				]
			: []),
		numberFact('Request size', pair, ({ request_bytes }) => request_bytes || null, formatBytes),
		numberFact('Response size', pair, ({ response_bytes }) => response_bytes || null, formatBytes),
		textFact('Agent', pair, ({ agent, agent_name }) => agent?.name ?? agent_name),
		textFact('User', pair, ({ user_id }) => user_id),
		textFact('Client', pair, ({ client }) => client),
		textFact('Session', pair, ({ session_id }) => session_id),
		textFact('Service', pair, ({ service_name }) => service_name),
		...attributeFacts(pair),
	]
	return facts.filter(isKnown)
}

const costOf = ({ cost_nano_usd }: Pick<Span, 'cost_nano_usd'>) =>
	cost_nano_usd === null ? null : Number(cost_nano_usd)

const maxValue = 200

/** Attributes that differ; long values are content, which is shown below. */
function attributeFacts([left, right]: readonly [Span, Span]): Fact[] {
	// Hashes are left out, because they differ whenever the content below does.
	const names = [...new Set([...Object.keys(left.attributes), ...Object.keys(right.attributes)])]
		.filter((name) => !name.includes('hash'))
		.sort()
	const show = (span: Span, name: string) => {
		const value = span.attributes[name]
		return value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
	}
	return names
		.map((name) => ({ name, left: show(left, name), right: show(right, name) }))
		.filter((fact) => fact.left !== fact.right && fact.left.length + fact.right.length < 2 * maxValue)
}

function Contents({ spans }: { spans: readonly [Span, Span] }) {
	const contents = [useQuery(callContentQuery(spans[0])), useQuery(callContentQuery(spans[1]))] as const
	if (contents.some(({ isPending }) => isPending)) return <SkeletonRows rows={6} />
	const textOfSide = ({ data }: (typeof contents)[number]) =>
		(data?.messages ?? [])
			.filter(({ kind }) => kind !== 'settings' && kind !== 'tool')
			.map(({ kind, name, text }) => readableMessage({ kind, role: name, text }))
			.join('\n\n')
	const isEmpty = contents.every(({ data }) => !data?.messages.length)
	return (
		<Panel title={spans[0].kind === 'tool_call' ? 'Arguments & result' : 'Conversation'}>
			{isEmpty ? (
				<p className="text-ink-3">No message content captured for either call.</p>
			) : (
				<LineDifferences
					label="Content of both calls"
					left={textOfSide(contents[0])}
					right={textOfSide(contents[1])}
				/>
			)}
		</Panel>
	)
}

function useSession(id: string) {
	const query = useInfiniteQuery(sessionQuery(toPathText(id)))
	return {
		...query,
		session: query.data?.pages.at(-1),
		calls: query.data?.pages.flatMap(({ calls }) => calls) ?? [],
	}
}

function CompareSessions({ sessions }: { sessions: readonly [string, string] }) {
	const [left, right] = [useSession(sessions[0]), useSession(sessions[1])]
	const failed = [left, right].find(({ error, session }) => error && !session)
	if (failed) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />
	if (!left.session || !right.session) return <SkeletonRows rows={8} />
	const pair = [left.session, right.session] as const
	const isMore = left.hasNextPage || right.hasNextPage
	const readMore = () => {
		if (left.hasNextPage) void left.fetchNextPage()
		if (right.hasNextPage) void right.fetchNextPage()
	}
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<FactTable
				facts={factsOfSessions(pair)}
				heads={[<SessionHead key="a" session={pair[0]} />, <SessionHead key="b" session={pair[1]} />]}
			/>
			<Panel title="Calls side by side" flush>
				<ol aria-label="Calls of both sessions" className="divide-y divide-line">
					{alignCalls(left.calls, right.calls).map(([a, b], at) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: calls never change places
						<CallPair key={at} left={a} right={b} />
					))}
				</ol>
				{isMore && (
					<div className="flex justify-center border-t border-line p-3">
						<Button busy={left.isFetchingNextPage || right.isFetchingNextPage} onClick={readMore}>
							Show later calls
						</Button>
					</div>
				)}
			</Panel>
		</div>
	)
}

function SessionHead({ session }: { session: Session }) {
	return (
		<Link
			to="/sessions/$sessionId"
			params={{ sessionId: toPathText(session.session_id) }}
			className={cn(linkClass, 'whitespace-normal wrap-anywhere')}
		>
			{session.session_id}
		</Link>
	)
}

function factsOfSessions(pair: readonly [Session, Session]): Fact[] {
	const lengthMs = (session: Session) => Date.parse(session.ended_at) - Date.parse(session.started_at)
	return [
		textFact('Started', pair, ({ started_at }) => formatDateTime(started_at)),
		numberFact('Duration', pair, lengthMs, formatMs),
		numberFact('Model calls', pair, ({ model_calls }) => model_calls, formatCount),
		numberFact('Tool calls', pair, ({ tool_calls }) => tool_calls, formatCount),
		numberFact('Errors', pair, ({ errors }) => errors, formatCount),
		numberFact('Tokens', pair, allTokens, formatCount),
		numberFact('Cost', pair, nanoUsdOf, (value) => formatNanoUsd(String(value))),
		textFact('Agent', pair, ({ agent }) => agent.name),
		textFact('Client', pair, ({ client }) => client),
		textFact('User', pair, ({ user_id }) => user_id),
	].filter(isKnown)
}

/** Aligns calls with the same name next to each other, preserving the order of both lists. */
export function alignCalls<Call extends Pick<SessionCall, 'kind' | 'model' | 'server' | 'tool'>>(
	left: readonly Call[],
	right: readonly Call[],
): [Call | null, Call | null][] {
	const keys = (calls: readonly Call[]) => calls.map((call) => `${call.kind} ${nameOfCall(call)}`).join('\n')
	let [a, b] = [0, 0]
	return pairLines(keys(left), keys(right)).map((pair) => [
		pair.left === null ? null : (left[a++] ?? null),
		pair.right === null ? null : (right[b++] ?? null),
	])
}

function CallPair({ left, right }: { left: SessionCall | null; right: SessionCall | null }) {
	const [isOpen, setIsOpen] = useState(false)
	const one = left ?? right
	if (!one) return null
	return (
		<li>
			<button
				type="button"
				aria-expanded={isOpen}
				onClick={() => setIsOpen(!isOpen)}
				className="grid w-full grid-cols-2 divide-x divide-line text-left -outline-offset-2 hover:bg-hover"
			>
				<CallCell call={left} other={right} />
				<CallCell call={right} other={left} />
			</button>
			{isOpen && (
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4 bg-canvas p-3 sm:grid-cols-2">
					<Said call={left} />
					<Said call={right} />
				</div>
			)}
		</li>
	)
}

function CallCell({ call, other }: { call: SessionCall | null; other: SessionCall | null }) {
	if (!call) return <span className="flex min-h-9 items-center px-3 text-ink-3">–</span>
	const isBad = hasCallFailed(call)
	return (
		<span
			className={cn(
				'flex min-h-9 min-w-0 flex-wrap items-center gap-x-2 px-3 py-1',
				(!other || nameOfCall(other) !== nameOfCall(call)) && 'bg-warn-soft',
			)}
		>
			<Icon
				name={isBad ? 'alert' : kindIcon[call.kind]}
				className={cn('size-3.5', isBad ? 'text-bad' : kindText[call.kind])}
			/>
			<span className={cn('min-w-0 flex-1 truncate', isBad && 'text-bad')}>{nameOfCall(call)}</span>
			{isBad && <span className="text-xs text-bad">{call.status}</span>}
			<span className="flex gap-3 text-xs text-ink-2 tabular-nums">
				{call.cost_nano_usd !== null && <span>{formatNanoUsd(call.cost_nano_usd)}</span>}
				<span>{formatMs(call.duration_ms)}</span>
			</span>
		</span>
	)
}

function Said({ call }: { call: SessionCall | null }) {
	if (!call) return <p className="hidden text-ink-3 sm:block">Call not found in this session.</p>
	return (
		<div className="min-w-0">
			<Link
				to="/traces/$traceId"
				params={{ traceId: call.trace_id }}
				search={{ span: call.span_id }}
				className={cn(linkClass, 'mb-2')}
			>
				Open call
			</Link>
			{call.status_message && (
				<p className="mb-2 rounded-md bg-bad-soft px-3 py-2 wrap-anywhere">{call.status_message}</p>
			)}
			{call.messages?.length ? (
				<Conversation messages={call.messages} />
			) : (
				<p className="text-ink-3">No message content captured</p>
			)}
		</div>
	)
}
