import { readFileSync } from 'node:fs'

/** A block of commands in a guide, and the output that the guide shows for them. */
export interface GuideBlock {
	commands: string
	/** Lines that the output must contain in this order; `…` matches anything. Empty if the guide shows no output. */
	shown: string[]
	/** Whether the output may take some seconds to appear. The commands are then repeated until it does. */
	soon: boolean
}

const fence = /^```(\w*)( soon)?\n([\s\S]*?)^```$/gm

/** Reads the `sh` blocks of a page, each with the `text` (or `text soon`) block that follows it. */
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
