import { parentPort } from 'node:worker_threads'
import { createPriceCall } from '../../../ledger/index.ts'
import { LoggedRecords, type RowsOfFormat } from '../../../telemetry/call-rows/index.ts'
import { type OwnPriceRow, OwnPrices } from '../../prices/own-prices.ts'
import { CallRows, type LoggedCall, type WorkspaceRules } from './call-rows.ts'
import { numbersOfCall, type PackedBatch, type PackedRows, packRows } from './packed-rows.ts'

// Makes rows of calls, beside the thread that serves them.

/** What a workspace's rows depend on, as it is handed over. */
export interface HandedRules extends WorkspaceRules {
	prices: readonly OwnPriceRow[]
}

export type ToRowsThread =
	| { name: 'batch'; id: number; batch: PackedBatch; rules: ReadonlyMap<string, HandedRules> }
	| { name: 'session'; id: number; announced: Uint8Array }
	/** Which texts are stored is not known any more. */
	| { name: 'forget' }

export type FromRowsThread =
	| {
			id: number
			made: PackedRows
			/** Of calls whose rows could not be made as they should be. */
			errors: string[]
	  }
	| { id: number; session: string }

let prices = new OwnPrices([])
const rows = new CallRows(createPriceCall((question) => prices.find(question)))
/** One batch after the other: rows are made in the order of the log. */
let running = Promise.resolve()

parentPort?.on('message', (message: ToRowsThread) => {
	if (message.name === 'forget') rows.forgetTexts()
	else
		running = running.then(async () => {
			const answer = message.name === 'batch' ? await makeAll(message) : await findSession(message)
			parentPort?.postMessage(answer, 'made' in answer ? [answer.made.bytes.buffer] : [])
		})
})

async function makeAll({
	id,
	batch,
	rules,
}: Extract<ToRowsThread, { name: 'batch' }>): Promise<FromRowsThread> {
	prices = new OwnPrices([...rules.values()].flatMap(({ prices }) => prices))
	const records = new LoggedRecords(batch)
	const made: (RowsOfFormat[] | null)[] = []
	const errors: string[] = []
	try {
		const { places, workspaces, bare } = batch
		const placeAt = (at: number) => ({
			segment: places[at] as number,
			at: places[at + 1] as number,
			bytes: places[at + 2] as number,
		})
		for (let at = 0; at < places.length; at += numbersOfCall) {
			const workspaceId = workspaces[places[at] as number] as string
			const of = rules.get(workspaceId)
			const announced = records.read(placeAt(at + 1))
			const ended = records.read(placeAt(at + 4))
			if (!of || !announced || !ended) made.push(null)
			else made.push(await makeOne({ workspaceId, announced, ended, bare }, of, errors))
		}
	} finally {
		records.close()
	}
	return { id, made: packRows(made), errors }
}

async function findSession({
	id,
	announced,
}: Extract<ToRowsThread, { name: 'session' }>): Promise<FromRowsThread> {
	return { id, session: await rows.sessionOf(Buffer.from(announced)).catch(() => '') }
}

function makeOne(call: LoggedCall, of: WorkspaceRules, errors: string[]): Promise<RowsOfFormat[]> {
	return rows.make(call, of).catch((error: unknown) => {
		errors.push(String((error as Error)?.stack ?? error))
		// Its bodies may be what cannot be read: the row without them is better than none.
		return rows.make({ ...call, bare: true }, of)
	})
}
