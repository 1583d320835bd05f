import { readFileSync } from 'node:fs'

/** A block of commands in a guide, and what the guide says that they print. */
export interface GuideBlock {
	commands: string
	/** Lines of the output, in this order; `…` stands for anything. Empty where the guide shows none. */
	shown: string[]
	/** What is shown comes within seconds: the commands are repeated until it does. */
	soon: boolean
}

const fence = /^```(\w*)( soon)?\n([\s\S]*?)^```$/gm

/** The `sh` blocks of a page, each with the `text` (or `text soon`) block that follows it. */
export function readGuide(path: string): GuideBlock[] {
	const blocks: GuideBlock[] = []
	for (const [, kind, soon, body = ''] of readFileSync(path, 'utf8').matchAll(fence)) {
		if (kind === 'sh') blocks.push({ commands: body, shown: [], soon: false })
		const last = blocks.at(-1)
		if (kind !== 'text' || !last) continue
		last.shown.push(...body.trimEnd().split('\n'))
		last.soon = soon !== undefined
	}
	return blocks
}
