import { demoOperations } from '@signalbox/contract'
import { type BoundOperation, bind, userIn } from '../../platform/http/index.ts'
import {
	callJoins,
	callKeys,
	isShipped,
	rollups,
	sumTables,
	telemetryTables,
	traceLinks,
} from '../../telemetry/index.ts'
import { beginDemo, type DemoOwner, removeDemo } from './change-demo.ts'
import type { DemoContext } from './demo-context.ts'
import { deleteDemo, findDemo, findDemoSlug, findFirstOperator, listRemoved } from './demo-repository.ts'
import { presentDemo } from './present-demo.ts'

/** Every table with rows of a workspace: what was received first, then what was made of it. */
const tables = [
	...telemetryTables,
	callJoins,
	callKeys,
	traceLinks,
	...sumTables.rolledTables,
	rollups.callHours,
]

/** Erases the telemetry of demos whose workspace is gone, once all of it has reached the store. */
function createEraser(demo: DemoContext): (signal: AbortSignal) => Promise<void> {
	const seenAtMs = new Map<string, number>()
	return async (signal) => {
		for (const workspaceId of await listRemoved(demo.store.db)) {
			const seenMs = seenAtMs.get(workspaceId) ?? demo.clock.nowMs()
			seenAtMs.set(workspaceId, seenMs)
			if (signal.aborted || !(await isShipped(demo.recorder, demo.clock, seenMs))) return
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

export interface OpenDemo {
	operations: BoundOperation[]
	/** Of the workspace of a demo that is there; else null. */
	slug(): Promise<string | null>
	/** Waits for a demo that is being made. */
	close(): Promise<void>
}

const lookEveryMs = 2000
const eraseEveryMs = 3000

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
	jobs.every('demo-erase', eraseEveryMs, ({ signal }) => erase(signal))
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

/** For a start with `--demo`: as soon as there is an operator, and again only at the next start. */
function makeOnce({ store, jobs }: DemoContext, make: (owner: DemoOwner) => Promise<void>): void {
	let isDone = false
	jobs.every('demo-begin', lookEveryMs, async () => {
		if (isDone) return
		const operator = await findFirstOperator(store.db)
		if (!operator) return
		isDone = true
		if (!(await findDemo(store.db)))
			await make({ userId: operator.id, email: operator.email, requestId: null })
	})
}
