import { appendReload } from '../../platform/changes.ts'
import { newId as newRowId } from '../../platform/ids.ts'
import type { DemoContext } from './demo-context.ts'
import { type DemoRelease, type DemoSession, demoDay, demoReleases } from './demo-day.ts'
import { releaseHeader } from './demo-hosts.ts'
import {
	dateDefinitions,
	dateObjects,
	dateUses,
	insertRequests,
	type LastUsesOfDay,
	type RequestRow,
} from './demo-repository.ts'
import { demoServers } from './demo-servers.ts'
import type { IngressClient } from './ingress-client.ts'
import { type DemoObjects, makeObjects, makeReceivers } from './make-objects.ts'
import type { Highlight } from './present-demo.ts'
import { newId, type Replay, type ReplayedRun, ReplayRecorder, replaySession } from './replay.ts'

/** Number of concurrent runs; the calls of one run are sequential. */
const atOnce = 8
/** The store may be away, and the demo is ready all the same. */
const storedWithinMs = 10_000
/** Age of the demo's objects, because a grant counts as unused only after 30 days. */
const olderMs = 40 * 24 * 60 * 60_000

/** Creates the contents of the demo and replays its day; resolves with the highlights for a reader. */
export async function fillWorkspace(
	demo: DemoContext,
	client: IngressClient,
	workspaceId: string,
	owner: { userId: string; email: string },
): Promise<Highlight[]> {
	const made = await makeObjects(client)
	await demo.mutate(async (tx) => {
		await dateObjects(tx, workspaceId, demo.clock.nowMs() - olderMs)
		await insertRequests(tx, requestsOf(made, workspaceId, owner, demo.clock.nowMs()))
		await appendReload(tx, demo.clock)
	})
	const runs = await replayInProgram(demo, client, workspaceId, made)
	// Only now, because the program of the replay writes when each agent was seen while it closes.
	await demo.mutate((tx) => dateUses(tx, workspaceId, lastUsesOf(runs)))
	const longest = runs.toSorted((a, b) => b.steps.length - a.steps.length)
	return highlightsOf(
		made,
		longest.find(({ agent }) => agent.key === 'coding'),
	)
}

/** Replays the day in a second program, which is closed afterwards. */
async function replayInProgram(
	demo: DemoContext,
	client: IngressClient,
	workspaceId: string,
	made: DemoObjects,
): Promise<ReplayedRun[]> {
	const recorder = new ReplayRecorder(demo.calls, demo.factsInTime)
	const program = await demo.openReplay(recorder)
	try {
		const past = client.through(program.handle)
		const replay = { ending: demo.ending, client, past, recorder, made, nowMs: demo.clock.nowMs() }
		const runs = await replayDay(replay, async ({ minutesAgo }) => {
			const atMs = replay.nowMs - minutesAgo * minuteMs
			await demo.mutate((tx) => dateDefinitions(tx, workspaceId, replay.nowMs, atMs))
			await program.catchUp()
		})
		// Some figures are read only in the store, so without this Home could lack the end of the day for a minute.
		await recorder.shed(storedWithinMs)
		return runs
	} finally {
		await program.close()
	}
}

/** When each agent made its last call, and when each connection got its last one. */
function lastUsesOf(runs: readonly ReplayedRun[]): LastUsesOfDay {
	const uses: LastUsesOfDay = { agents: new Map(), connections: new Map() }
	const note = (times: Map<string, number>, name: string, atMs: number) =>
		times.set(name, Math.max(times.get(name) ?? 0, atMs))
	for (const { agent, steps } of runs)
		for (const { connection, startMs } of steps) {
			note(uses.agents, agent.name, startMs)
			if (connection !== null) note(uses.connections, connection, startMs)
		}
	return uses
}

/**
 * One pending access request, and one that was declined. They are inserted directly, because requests are made by people and the
 * demo has only its owner.
 */
function requestsOf(
	{ agents, servers }: DemoObjects,
	workspaceId: string,
	{ userId, email }: { userId: string; email: string },
	nowMs: number,
): RequestRow[] {
	const row = (
		agent: 'support' | 'release',
		host: string,
		tool: string,
		minutesAgo: number,
		reason: string,
	) => {
		const [agentId, serverId] = [agents.get(agent)?.id ?? '', servers.get(host)?.id ?? '']
		const requestedAtMs = nowMs - minutesAgo * minuteMs
		return {
			...{ id: newRowId(requestedAtMs), workspace_id: workspaceId, agent_id: agentId, server_id: serverId },
			...{ tool, reason, status: 'pending', open_key: JSON.stringify([agentId, serverId, tool]) },
			...{ requested_by_id: userId, requested_by_name: email, requested_at: requestedAtMs },
			...{ decided_by: null, decided_at: null },
		}
	}
	const refunds = 'Customers with a double charge wait two days for a person'
	return [
		row('support', 'billing', 'refund_invoice', 96, refunds),
		{
			...row('release', 'billing', 'find_invoice', 700, 'To name the customers in release notes'),
			...{ status: 'declined', open_key: null, decided_by: email, decided_at: nowMs - 640 * minuteMs },
		},
	]
}

/** `released` is called after each release: it dates what the release changed, and lets the program of the replay apply it. */
async function replayDay(
	replay: Replay,
	released: (release: DemoRelease) => Promise<void>,
): Promise<ReplayedRun[]> {
	const { client, made } = replay
	const replayed: ReplayedRun[] = []
	for (const { sessions, release } of partsOf(demoDay())) {
		replayed.push(...(await replayAll(replay, sessions)))
		if (!release) continue
		await releaseServer(client, made, release)
		await released(release)
	}
	await sendSurroundings(replay, replayed)
	await makeReceivers(client)
	return replayed
}

/** Groups the runs by server releases: the runs before each release, and that release. */
function partsOf(runs: readonly DemoSession[]): { sessions: DemoSession[]; release?: DemoRelease }[] {
	const ends = [...demoReleases, null]
	let from = Number.POSITIVE_INFINITY
	return ends.map((release) => {
		const until = release?.minutesAgo ?? 0
		const sessions = runs.filter(({ minutesAgo }) => minutesAgo < from && minutesAgo >= until)
		from = until
		return { sessions, ...(release && { release }) }
	})
}

async function replayAll(replay: Replay, sessions: readonly DemoSession[]): Promise<ReplayedRun[]> {
	const left = sessions.values()
	const runs: ReplayedRun[] = []
	const work = async () => {
		for (const session of left) {
			replay.ending.throwIfAborted()
			const run = await replaySession(replay, session)
			await sendRun(replay, run)
			runs.push(run)
		}
	}
	await Promise.all(Array.from({ length: atOnce }, work))
	return runs
}

/** The links on the dashboard's first screen. */
function highlightsOf({ servers, budgetId }: DemoObjects, loop: ReplayedRun | undefined): Highlight[] {
	return [
		{
			kind: 'agent_loop',
			text: 'Coding assistant read the log of one build 16 times in a row.',
			path: `/traces/${loop?.traceId}`,
		},
		{
			kind: 'changed_tool',
			text: 'create_issue of the Issue tracker changed its definition, and waits for your approval.',
			path: `/servers/${servers.get('issues')?.id}/definitions?tool=create_issue`,
		},
		{
			kind: 'budget_breach',
			text: 'Nightly research went over its budget, so its last calls were refused.',
			path: `/budgets?budget=${budgetId}`,
		},
	]
}

/** Upgrades a server to its next release and refreshes its tools. */
async function releaseServer(
	client: IngressClient,
	{ servers }: DemoObjects,
	{ host }: DemoRelease,
): Promise<void> {
	const path = `/v1/mcp/servers/${servers.get(host)?.id}`
	const release = demoServers.find((server) => server.host === host)?.releases.at(-1) ?? ''
	await client.call('PATCH', path, { headers: { [releaseHeader]: release } })
	await client.call('POST', `${path}/tools/refresh`)
}

type Attribute = { key: string; value: object }

const minuteMs = 60_000
const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } })
const nano = (ms: number) => `${ms}000000`
const service = (name: string) => ({ attributes: [text('service.name', name)] })

/** Sends the telemetry that the agent's program reports about a run, like any OpenTelemetry exporter. */
function sendRun(replay: Replay, run: ReplayedRun): Promise<void> {
	const scopeSpans = [{ scope: { name: 'demo-agent' }, spans: spansOf(run) }]
	return send(replay, 'traces', { resourceSpans: [{ resource: service(run.agent.client[0]), scopeSpans }] })
}

function spansOf({ agent, user, conversation, traceId, startMs, endMs, steps }: ReplayedRun) {
	const rootId = newId(8)
	const root = {
		...{ traceId, spanId: rootId, name: `invoke_agent ${agent.name}`, kind: 1 },
		...{ startTimeUnixNano: nano(startMs), endTimeUnixNano: nano(endMs) },
		attributes: [
			text('gen_ai.operation.name', 'invoke_agent'),
			text('gen_ai.agent.name', agent.name),
			text('gen_ai.conversation.id', conversation),
			...(user ? [text('user.id', user)] : []),
		],
	}
	const children = steps.map((step) => ({
		...{ traceId, spanId: step.spanId, parentSpanId: rootId, name: step.name, kind: 1 },
		...{ startTimeUnixNano: nano(step.startMs), endTimeUnixNano: nano(step.endMs) },
		status: { code: step.failed ? 2 : 1 },
	}))
	return [root, ...children]
}

/** The other data of a day: calls to an unregistered server, logs, scores of some runs, and a metric. */
async function sendSurroundings(replay: Replay, runs: readonly ReplayedRun[]): Promise<void> {
	await send(replay, 'traces', {
		resourceSpans: [{ resource: service('pricing-tools'), scopeSpans: [unregistered(replay)] }],
	})
	await send(replay, 'logs', {
		resourceLogs: [
			{
				resource: service('support-desk'),
				scopeLogs: [{ logRecords: [...logsOf(replay), ...scoresOf(runs)] }],
			},
		],
	})
	const gauge = { dataPoints: queueOf(replay) }
	const metrics = [{ name: 'support.queue', unit: '{tickets}', description: 'Tickets that wait', gauge }]
	await send(replay, 'metrics', {
		resourceMetrics: [{ resource: service('support-desk'), scopeMetrics: [{ metrics }] }],
	})
}

function unregistered({ nowMs }: Replay) {
	const spans = Array.from({ length: 6 }, (_, at) => {
		const startMs = nowMs - (at * 170 + 40) * minuteMs
		return {
			...{ traceId: newId(16), spanId: newId(8), name: 'tools/call quote_price', kind: 2 },
			...{ startTimeUnixNano: nano(startMs), endTimeUnixNano: nano(startMs + 90 + at * 7) },
			attributes: [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', 'quote_price')],
		}
	})
	return { spans }
}

function logsOf({ nowMs }: Replay) {
	const record = (minutesAgo: number, severityNumber: number, message: string) => ({
		...{ timeUnixNano: nano(nowMs - minutesAgo * minuteMs), severityNumber },
		body: { stringValue: message },
	})
	return [
		record(610, 9, 'The queue is empty.'),
		record(190, 13, 'The queue is longer than 40 tickets.'),
		record(13, 17, 'The archive did not answer within 10 s; the ticket goes to a person.'),
		record(11, 17, 'The archive did not answer within 10 s; the ticket goes to a person.'),
	]
}

const scoreValues = [0.9, 0.8, 1, 0.4, 0.7]

/** Every third run was rated by a model. */
function scoresOf(runs: readonly ReplayedRun[]) {
	return runs
		.filter((_run, at) => at % 3 === 0)
		.map(({ traceId, endMs, conversation }, at) => ({
			...{ timeUnixNano: nano(endMs), severityNumber: 9, eventName: 'gen_ai.evaluation.result', traceId },
			attributes: [
				text('gen_ai.evaluation.name', 'helpfulness'),
				{
					key: 'gen_ai.evaluation.score.value',
					value: { doubleValue: scoreValues[at % scoreValues.length] },
				},
				text('signalbox.score.source', 'model'),
				text('gen_ai.conversation.id', conversation),
			],
		}))
}

function queueOf({ nowMs }: Replay) {
	return Array.from({ length: 96 }, (_, at) => ({
		timeUnixNano: nano(nowMs - at * 15 * minuteMs),
		asDouble: Math.round(22 + 18 * Math.sin(at / 9)),
	}))
}

async function send({ client, made }: Replay, signal: string, body: object): Promise<void> {
	await client.as(made.ingestToken).call('POST', `/v1/${signal}`, body)
}
