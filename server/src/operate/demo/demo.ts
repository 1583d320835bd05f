import { demoOperations, scopes } from '@signalbox/contract'
import { actorOf } from '../../accounts/audit/audit.ts'
import { lockWorkspace } from '../../platform/change-scope.ts'
import { lockNumbering } from '../../platform/changes.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import type { UserPrincipal } from '../../platform/http/principal.ts'
import { userIn } from '../../platform/http/route.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import { mutateGivingWay } from '../../platform/mutation.ts'
import {
	callJoins,
	isShipped,
	rollups,
	setLongestRetention,
	sumTables,
	telemetryTables,
	traceLinks,
} from '../../telemetry/index.ts'
import type { DemoContext } from './demo-context.ts'
import {
	deleteDemo,
	findDemo,
	findDemoSlug,
	findFirstOperator,
	insertDemo,
	listRemoved,
	updateDemo,
} from './demo-repository.ts'
import { fillWorkspace } from './fill-workspace.ts'
import { IngressClient } from './ingress-client.ts'
import { presentDemo } from './present-demo.ts'

export { openDemoHosts } from './demo-hosts.ts'

const eraseKind = 'demo-erase'

/** All tables with rows of a workspace: first the received data, then tables derived from it. */
const tables = [...telemetryTables, callJoins, traceLinks, ...sumTables.rolledTables, rollups.callHours]

/** Erases the telemetry of demos whose workspace was deleted, once all of it has reached the store. */
function createEraser(demo: DemoContext): (job: RunningJob) => Promise<void> {
	const seenAtMs = new Map<string, number>()
	return async ({ signal, commit, again }) => {
		for (const workspaceId of await listRemoved(demo.store.db)) {
			const nowMs = demo.clock.nowMs()
			const seenMs = seenAtMs.get(workspaceId) ?? nowMs
			seenAtMs.set(workspaceId, seenMs)
			if (!(await isShipped(demo.recorder, demo.clock, seenMs)))
				return commit((tx) => again(tx, nowMs + shippedCheckMs))
			if (signal.aborted) return
			await eraseTelemetry(demo, workspaceId)
			await demo.mutate((tx) => deleteDemo(tx, workspaceId))
			seenAtMs.delete(workspaceId)
		}
	}
}

async function eraseTelemetry({ telemetry }: DemoContext, workspaceId: string): Promise<void> {
	for (const table of tables)
		await telemetry.command(
			`ALTER TABLE ${table} DELETE WHERE workspace_id = {workspace:String} SETTINGS mutations_sync = 2`,
			{ workspace: workspaceId },
		)
}

interface DemoDependencies extends Omit<DemoContext, 'ending'> {
	config: { DEMO: 'on' | 'off' }
}

interface OpenDemo {
	operations: BoundOperation[]
	/** Slug of the demo's workspace if it exists, otherwise null. */
	slug(): Promise<string | null>
	/** Waits for a demo that is being created. */
	close(): Promise<void>
}

const operatorCheckEveryMs = 2000
const shippedCheckMs = 3000
/** Removing the demo requests it at once; a workspace can also be deleted in other ways. */
const eraseEveryMs = 60_000
const hourMs = 3_600_000

/** A workspace with a day of traffic in it, which can be removed again. */
export function openDemo({ config, ...given }: DemoDependencies): OpenDemo {
	const ending = new AbortController()
	const demo: DemoContext = { ...given, ending: ending.signal }
	const { store, jobs, clock } = demo
	const running = new Set<Promise<void>>()
	const make = async (owner: DemoOwner) => {
		const fill = await beginDemo(demo, owner)
		const filling = fill()
		running.add(filling)
		void filling.finally(() => running.delete(filling))
	}
	const erase = createEraser(demo)
	jobs.every(eraseKind, eraseEveryMs, erase)
	if (config.DEMO === 'on') makeOnce(demo, make)
	const operations = bind(demoOperations, {
		get: async ({ context }) => presentDemo(await findDemo(store.db), userIn(context), clock.nowMs()),
		create: async ({ context }) => {
			const user = userIn(context)
			await make({ userId: user.userId, email: user.email, requestId: context.requestId })
			return presentDemo(await findDemo(store.db), user, clock.nowMs())
		},
		delete: async ({ context }) => void (await removeDemo(demo, userIn(context), context.requestId)),
	})
	const close = async () => {
		ending.abort()
		await Promise.allSettled(running)
	}
	return { operations, slug: () => findDemoSlug(store.db), close }
}

/** For a start with `--demo`: creates the demo as soon as there is an operator, at most once per start. */
function makeOnce({ store, jobs, clock }: DemoContext, make: (owner: DemoOwner) => Promise<void>): void {
	let isDone = false
	jobs.every('demo-begin', operatorCheckEveryMs, async ({ commit, again }) => {
		if (isDone) return commit((tx) => again(tx, clock.nowMs() + hourMs))
		const operator = await findFirstOperator(store.db)
		if (!operator) return
		isDone = true
		if (!(await findDemo(store.db)))
			await make({ userId: operator.id, email: operator.email, requestId: null })
	})
}

const alertCheckEveryMs = 1000
/** A new workspace gets its alerts within ten seconds. */
const maxChecks = 30

/** Alerts are first evaluated a minute after they are created, which a visitor of the demo should not have to wait for. */
async function evaluateAlerts(client: IngressClient, ending: AbortSignal): Promise<void> {
	for (let checks = 0; checks < maxChecks && !ending.aborted; checks += 1) {
		const { alerts } = await client.call<{ alerts: { id: string; enabled: boolean }[] }>(
			'GET',
			'/v1/alerts?limit=50',
		)
		// Updating an alert evaluates it at once; this update changes nothing.
		for (const { id, enabled } of alerts) await client.call('PATCH', `/v1/alerts/${id}`, { enabled })
		if (alerts.length > 0) return
		await new Promise((resolve) => setTimeout(resolve, alertCheckEveryMs))
	}
}

const name = 'Demo'
/** Longer than creating it takes on any machine. */
const keyMs = 15 * 60_000

interface DemoOwner {
	userId: string
	email: string
	requestId: string | null
}

/** Creates the workspace and returns the function that fills it. Throws `conflict`. */
async function beginDemo(demo: DemoContext, owner: DemoOwner): Promise<() => Promise<void>> {
	const { workspaceId, slug, key } = await makeWorkspace(demo, owner)
	return () => fill(demo, workspaceId, slug, key, owner)
}

async function makeWorkspace(demo: DemoContext, { userId, email, requestId }: DemoOwner) {
	const { identity, clock } = demo
	const nowMs = clock.nowMs()
	const actor = { kind: 'user' as const, id: userId, name: email }
	return demo.mutate(async (tx) => {
		await lockNumbering(tx)
		if (await findDemo(tx)) throw new Problem('conflict', 'There is a demo already; remove it first.')
		const { id: workspaceId, slug } = await identity.workspaces.begin(tx, {
			...{ name, owner: { userId, actor }, requestId },
		})
		// Its data must be kept as long as the workspace itself.
		await setLongestRetention(tx, clock, workspaceId)
		await insertDemo(tx, { id: workspaceId, state: 'making', highlights: '[]', created_at: nowMs })
		const { id, secret } = await identity.createCredential(tx, {
			...{ workspaceId, kind: 'platform', name: 'Demo data', scopes, by: actor, requestId },
			expiresAtMs: nowMs + keyMs,
		})
		return { workspaceId, slug, key: { id, secret } }
	})
}

/** Everything in it is created through the ingress, with a key of the workspace that is revoked afterwards. */
async function fill(
	demo: DemoContext,
	workspaceId: string,
	slug: string,
	key: { id: string; secret: string },
	owner: DemoOwner,
): Promise<void> {
	const client = new IngressClient(demo.ingress, new URL(demo.publicAddress()).host, key.secret, demo.ending)
	const settle = (state: 'ready' | 'failed', highlights: readonly object[]) =>
		demo.mutate((tx) => updateDemo(tx, workspaceId, { state, highlights: JSON.stringify(highlights) }))
	try {
		const highlights = await fillWorkspace(demo, client, workspaceId, owner)
		await settle('ready', highlights)
		demo.log.info({ address: `${demo.publicAddress()}/ui/w/${slug}/` }, 'demo: it is ready, open it here')
	} catch (error) {
		// It was removed while it was being created.
		if ((await findDemo(demo.store.db))?.id !== workspaceId) return
		demo.log.error({ err: error }, 'demo: it could not be made')
		await settle('failed', [])
		return
	}
	await finish(demo, client, key.id).catch((error: unknown) =>
		demo.log.warn({ err: error }, 'demo: its key expires by itself'),
	)
}

async function finish(demo: DemoContext, client: IngressClient, keyId: string): Promise<void> {
	await evaluateAlerts(client, demo.ending)
	await client.call('DELETE', `/v1/keys/${keyId}`)
}

/** Removes the workspace; its telemetry is erased in the background. Throws `not_found`, `last_workspace`. */
async function removeDemo(demo: DemoContext, user: UserPrincipal, requestId: string): Promise<void> {
	await mutateGivingWay(demo.mutate, async (tx) => {
		const row = await findDemo(tx)
		if (!row) throw notFound('demo')
		await lockWorkspace(tx, row.id)
		await demo.identity.workspaces.end(tx, { workspaceId: row.id, actor: actorOf(user), requestId })
		await demo.jobs.enqueue(tx, { kind: eraseKind, key: '', workspaceId: null })
	})
}
