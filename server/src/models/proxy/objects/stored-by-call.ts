import type { Log } from '../../../platform/log.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { Attempt } from '../attempt.ts'
import { type DeferredCalls, ResultsOfCall } from '../deferred/deferred-calls.ts'
import { deferredBy } from '../deferred/record-results.ts'
import type { Reading } from '../providers/provider.ts'
import type { Target } from '../target.ts'
import type { ObjectOwners } from './object-owners.ts'

/** The owner of a call. */
export interface Maker {
	workspaceId: string
	/** '' for the workspace's own keys. */
	agentId: string
}

/**
 * The objects that the provider stores for one call. Stored as soon as they are read, so that they can be used while the call
 * runs.
 */
class MadeObjects {
	readonly #owners: Pick<ObjectOwners, 'note'>
	readonly #maker: Maker
	#seen = 0
	#noting: Promise<void> | null = null

	constructor(owners: Pick<ObjectOwners, 'note'>, maker: Maker) {
		this.#owners = owners
		this.#maker = maker
	}

	/** Stores what is new in a reading. */
	observe({ surface, connectionId }: Target, { objects, deferred }: Reading): void {
		if (!surface?.creates || connectionId === null || objects.size === this.#seen) return
		const { workspaceId, agentId: owner } = this.#maker
		const fresh = [...objects].slice(this.#seen)
		this.#seen = objects.size
		this.#noting = this.#owners.note({ workspaceId, connectionId, owner }, fresh, deferred)
	}

	/** Resolves when everything is stored; null if there is nothing to store. */
	get stored(): Promise<void> | null {
		return this.#noting
	}
}

interface StoredDependencies {
	objects: Pick<ObjectOwners, 'note'>
	deferred: Pick<DeferredCalls, 'begin' | 'settle'>
	log: Log
}

/** The state of stored objects and results at the end of a call. */
interface StoredAtEnd {
	/** Whether work that the call began is recorded later, as a separate call. */
	deferred: boolean
	/** The error that prevented results in the answer from being settled, or null. */
	failure: { error: unknown } | null
}

const nothing: StoredAtEnd = { deferred: false, failure: null }

/** Tracks the objects that a provider stores for one call, the deferred work that it begins, and the results that it delivers. */
export class StoredByCall {
	readonly #deps: StoredDependencies
	readonly #made: MadeObjects
	readonly #results: ResultsOfCall

	constructor(deps: StoredDependencies, maker: Maker) {
		this.#deps = deps
		this.#made = new MadeObjects(deps.objects, maker)
		this.#results = new ResultsOfCall(deps.deferred)
	}

	/** Handles what is new in the reading of an answer. */
	observe({ step, reader }: Attempt): void {
		if (!reader) return
		this.#made.observe(step.target, reader.reading)
		this.#results.observe(step, reader.reading)
	}

	/** Resolves when the uploads named in an answer's headers are stored: the client may continue them at once. Null if there are none. */
	atHead(attempt: Attempt): Promise<void> | null {
		if (!attempt.step.target.surface?.uploads) return null
		this.observe(attempt)
		return this.#made.stored
	}

	/** Waits until everything is in the store. Almost every call has nothing to wait for. */
	end(attempt: Attempt | null, draft: () => Promise<SpanRow>): StoredAtEnd | Promise<StoredAtEnd> {
		if (!attempt?.reader) return nothing
		this.observe(attempt)
		const { reading } = attempt.reader
		const waits = this.#made.stored !== null || reading.deferred !== '' || attempt.step.deferred
		return waits ? this.#store(attempt, draft, reading.deferred) : nothing
	}

	async #store({ step }: Attempt, draft: () => Promise<SpanRow>, id: string): Promise<StoredAtEnd> {
		await this.#made.stored
		const failure = await this.#results.settled()
		const { surface, connectionId } = step.target
		if (!id || connectionId === null || !(surface?.defers || surface?.modelCall))
			return { deferred: false, failure }
		const row = { ...(await draft()), connection: step.connection }
		return { deferred: await this.#begin(deferredBy(row, step.target, connectionId, id)), failure }
	}

	async #begin(call: ReturnType<typeof deferredBy>): Promise<boolean> {
		try {
			await this.#deps.deferred.begin(call)
			return true
		} catch (error) {
			this.#deps.log.warn({ err: error }, 'model proxy: a deferred call could not be stored')
			return false
		}
	}
}
