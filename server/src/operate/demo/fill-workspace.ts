import { appendReload } from '../../platform/changes.ts'
import type { DemoContext } from './demo-context.ts'
import { type DemoRelease, type DemoSession, demoDay, demoReleases } from './demo-day.ts'
import { releaseHeader } from './demo-hosts.ts'
import { dateObjects } from './demo-repository.ts'
import { demoServers } from './demo-servers.ts'
import type { IngressClient } from './ingress-client.ts'
import { type Made, makeObjects } from './make-objects.ts'
import type { Highlight } from './present-demo.ts'
import { type Replay, type ReplayedRun, ReplayRecorder, replaySession } from './replay.ts'
import { sendRun, sendSurroundings } from './send-telemetry.ts'

/** Runs at the same time: the calls of one run follow one another. */
const atOnce = 8
/** So old are the objects of the demo: a grant counts as unused after 30 days. */
const olderMs = 40 * 24 * 60 * 60_000

/** Makes what the demo has in it and replays its day; resolves with what a reader should look at. */
export async function fillWorkspace(
	demo: DemoContext,
	client: IngressClient,
	workspaceId: string,
): Promise<Highlight[]> {
	const made = await makeObjects(client)
	await demo.mutate(async (tx) => {
		await dateObjects(tx, workspaceId, demo.clock.nowMs() - olderMs)
		await appendReload(tx, demo.clock)
	})
	const recorder = new ReplayRecorder(demo.calls, demo.factsInTime)
	const program = await demo.openReplay(recorder)
	try {
		const past = client.through(program.handle)
		const replay = { ending: demo.ending, client, past, recorder, made, nowMs: demo.clock.nowMs() }
		return await replayDay(replay, () => program.catchUp())
	} finally {
		await program.close()
	}
}

/** `follow`: lets the program of the replay see what has changed. */
async function replayDay(replay: Replay, follow: () => Promise<void>): Promise<Highlight[]> {
	const { client, made } = replay
	const replayed: ReplayedRun[] = []
	for (const { sessions, release } of partsOf(demoDay())) {
		replayed.push(...(await replayAll(replay, sessions)))
		if (!release) continue
		await releaseServer(client, made, release)
		await follow()
	}
	await sendSurroundings(replay, replayed)
	const longest = replayed.toSorted((a, b) => b.steps.length - a.steps.length)
	return highlightsOf(
		made,
		longest.find(({ agent }) => agent.key === 'coding'),
	)
}

/** The runs between the releases of servers, and the release that follows. */
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

/** What the dashboard's first screen links to. */
function highlightsOf({ servers, budgetId }: Made, loop: ReplayedRun | undefined): Highlight[] {
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

/** A server answers as its next release from now on, and is asked for its tools again. */
async function releaseServer(client: IngressClient, { servers }: Made, { host }: DemoRelease): Promise<void> {
	const path = `/v1/mcp/servers/${servers.get(host)?.id}`
	const release = demoServers.find((server) => server.host === host)?.releases.at(-1) ?? ''
	await client.call('PATCH', path, { headers: { [releaseHeader]: release } })
	await client.call('POST', `${path}/tools/refresh`)
}
