import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Log } from '../../platform/log.ts'
import type { ErasureContext } from './erase-rows.ts'
import { eraseRows, toSubject } from './erase-rows.ts'
import { listAllErasures } from './erasure-repository.ts'

interface FollowContext extends Pick<ErasureContext, 'store' | 'clock' | 'shedLogs' | 'telemetry'> {
	feed: Pick<ChangeFeed, 'add'>
	log: Log
	/** Where it is kept up to when erasures were followed: what this program's logs hold may outlive it. */
	markFile: string
}

const retryMs = 10_000
/** Programs' clocks differ; what was done a little before the mark is followed again after a restart, which changes nothing. */
const slackMs = 600_000

/**
 * What another program on the same stores erased may still come out of the logs of this one: for each such erasure they are
 * emptied, and what came out is erased again.
 */
export class ErasureFollower {
	readonly #context: FollowContext
	readonly #followed = new Set<string>()
	#throughMs: number | null = null
	#running: Promise<void> | null = null
	#isAskedAgain = false
	#retry: NodeJS.Timeout | undefined
	#isClosed = false

	constructor(context: FollowContext) {
		this.#context = context
		const look = async () => this.look()
		context.feed.add({ kinds: ['erasure'], load: look, apply: look })
	}

	/** An erasure that this program carries out itself. */
	carriesOut(id: string): void {
		this.#followed.add(id)
	}

	/** Follows what there is, in the background. */
	look(): void {
		if (this.#isClosed) return
		this.#isAskedAgain = true
		this.#running ??= this.#run().finally(() => {
			this.#running = null
			// Asked between the last check and here.
			if (this.#isAskedAgain) this.look()
		})
	}

	async close(): Promise<void> {
		this.#isClosed = true
		clearTimeout(this.#retry)
		await this.#running
	}

	async #run(): Promise<void> {
		clearTimeout(this.#retry)
		try {
			while (this.#isAskedAgain) {
				this.#isAskedAgain = false
				if (!(await this.#follow())) this.#later()
			}
		} catch (error) {
			this.#context.log.warn({ err: error }, 'erasures: those of another program wait')
			this.#later()
		}
	}

	#later(): void {
		if (!this.#isClosed) this.#retry = setTimeout(() => this.look(), retryMs).unref()
	}

	/** False when the logs did not give out all that they hold. */
	async #follow(): Promise<boolean> {
		const { store, shedLogs, telemetry } = this.#context
		this.#throughMs ??= await this.#readMark()
		const since = this.#throughMs - slackMs
		const done = (await listAllErasures(store.db)).flatMap((row) =>
			row.erased_at !== null && row.erased_at > since && !this.#followed.has(row.id)
				? [{ row, erasedAt: row.erased_at }]
				: [],
		)
		for (const { row, erasedAt } of done.sort((a, b) => a.erasedAt - b.erasedAt)) {
			if (this.#isClosed || !(await shedLogs(toSubject(row)))) return false
			await eraseRows(telemetry, toSubject(row))
			this.#followed.add(row.id)
			if (erasedAt > this.#throughMs) await this.#mark(erasedAt)
		}
		return true
	}

	/** A program that begins has nothing in its logs. */
	async #readMark(): Promise<number> {
		try {
			const { through_ms } = JSON.parse(readFileSync(this.#context.markFile, 'utf8'))
			if (Number.isSafeInteger(through_ms)) return through_ms
		} catch {}
		return this.#mark(this.#context.clock.nowMs())
	}

	async #mark(ms: number): Promise<number> {
		const { markFile } = this.#context
		await writeFile(`${markFile}.new`, JSON.stringify({ through_ms: ms }), { flush: true, mode: 0o600 })
		await rename(`${markFile}.new`, markFile)
		this.#throughMs = ms
		return ms
	}
}
