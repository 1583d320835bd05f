import { model } from '../model-answers.ts'

/** About as large as what agents send: each continues a conversation of its own by one message per call. */
export const small = () => conversation(4 * 1024)
export const middle = () => conversation(300 * 1024)
export const large = () => conversation(2 * 1024 * 1024)

const turn =
	'The tool found 12 matching lines in 3 files; the second of them looks like the one that was meant. '.repeat(
		16,
	)

/** Bodies of about this size that differ only in their last message. */
function conversation(bytes: number): () => string {
	const messages = []
	for (let sent = 0; sent + turn.length < bytes; sent += turn.length + 40)
		messages.push({
			role: messages.length % 2 === 0 ? 'user' : 'assistant',
			content: `${messages.length} ${turn}`,
		})
	const start = JSON.stringify({ model, messages }).slice(0, -2)
	let turns = 0
	return () => `${start},{"role":"user","content":"Go on, ${++turns}."}]}`
}

/** The realistic mix: of twenty calls, fourteen have 4 KB, five 300 KB and one 2 MB. */
export function mixedBodies(): (index: number) => { body: string; isSmall: boolean } {
	const [smalls, middles, larges] = [small(), middle(), large()]
	return (index) => {
		const at = (index * 7) % 20
		if (at < 14) return { body: smalls(), isSmall: true }
		return { body: at < 19 ? middles() : larges(), isSmall: false }
	}
}
