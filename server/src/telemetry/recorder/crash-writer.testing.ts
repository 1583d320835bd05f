import { writeSync } from 'node:fs'
import { announceNote, concludeNote, notes, openNotesRecorder } from './testing.ts'

// A program that records without pause until it is killed. It writes every acknowledgement to standard output synchronously and in
// the order of the calls, so a kill right after an acknowledgement cannot hide it. The parent runs its store.

const [directory = '', life = ''] = process.argv.slice(2)
const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
let inserts = 0

process.on('message', ({ id, error }: { id: number; error: string | null }) => {
	if (error === null) waiting.get(id)?.resolve()
	else waiting.get(id)?.reject(new Error(error))
	waiting.delete(id)
})

const recorder = await openNotesRecorder({
	directory,
	segmentBytes: 64 * 1024,
	tuning: { batchDelayMs: 5 },
	store: {
		insertRowBinary: (insert) =>
			new Promise((resolve, reject) => {
				const id = ++inserts
				waiting.set(id, { resolve, reject })
				process.send?.({ id, insert })
			}),
	},
})

/** Writes synchronously and completely, even if the parent reads slowly. */
function say(text: string): void {
	const bytes = Buffer.from(text)
	for (let done = 0; done < bytes.length; ) {
		try {
			done += writeSync(1, bytes, done)
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
		}
	}
}

async function appendForEver(lane: number): Promise<void> {
	for (let n = 0; ; n++) {
		const ids = [0, 1, 2].map((part) => `${life}-append-${lane}-${n}-${part}`)
		say(ids.map((id) => `sent ${id}\n`).join(''))
		await recorder.append(notes(ids))
		say(ids.map((id) => `kept ${id}\n`).join(''))
	}
}

async function callForEver(lane: number): Promise<void> {
	for (let n = 0; ; n++) {
		const id = `${life}-call-${lane}-${n}`
		say(`sent ${id}\n`)
		const intent = await announceNote(recorder, id)
		say(`begun ${id}\n`)
		await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
		await concludeNote(recorder, intent)
		say(`kept ${id}\n`)
	}
}

await Promise.all([0, 1, 2, 3].flatMap((lane) => [appendForEver(lane), callForEver(lane)]))
