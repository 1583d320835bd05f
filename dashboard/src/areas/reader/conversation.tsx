import { memo, useMemo, useState } from 'react'
import { formatBytes } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icons.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { type Block, parse, textOf, toBlocks } from './content-blocks.ts'
import { JsonTree } from './json-tree.tsx'
import { Markdown } from './markdown.tsx'

/** A message, from any source. */
export interface Message {
	kind: 'settings' | 'tool' | 'system' | 'message' | 'answer' | 'arguments' | 'result'
	/** The author of a message, or the name of a tool. */
	role: string | null
	/** JSON as it was recorded; null if texts are not recorded. */
	text: string | null
	cut?: boolean
}

/** The conversation in order: system, user, assistant, tool calls and their results. */
export function Conversation({ messages }: { messages: readonly Message[] }) {
	return (
		<ul aria-label="Messages" className="grid grid-cols-[minmax(0,1fr)] gap-2">
			{messages.map((message, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: messages never change places
				<OneMessage key={at} message={message} />
			))}
		</ul>
	)
}

const looks: Record<string, { name: string; bar: string }> = {
	system: { name: 'System', bar: 'border-l-other' },
	developer: { name: 'Developer', bar: 'border-l-other' },
	user: { name: 'User', bar: 'border-l-accent' },
	assistant: { name: 'Assistant', bar: 'border-l-model' },
	model: { name: 'Assistant', bar: 'border-l-model' },
	tool: { name: 'Tool result', bar: 'border-l-tool' },
	arguments: { name: 'Arguments', bar: 'border-l-tool' },
	result: { name: 'Result', bar: 'border-l-ok' },
}

function lookOf({ kind, role }: Message): { name: string; bar: string } {
	const word = kind === 'answer' ? 'assistant' : kind === 'message' ? (role ?? 'user') : kind
	return looks[word] ?? { name: word, bar: 'border-l-other' }
}

const results = { name: 'Tool results', bar: 'border-l-tool' }

/** In some conventions, the results of tools are sent to a model as a message of the user. */
function holdsResults(message: Message, blocks: readonly Block[]): boolean {
	const isOfUser = message.kind === 'message' && (message.role ?? 'user') === 'user'
	return isOfUser && blocks.length > 0 && blocks.every(({ type }) => type === 'tool_result')
}

/** A message as plain lines under the name of its author. */
export function readableMessage(message: Message): string {
	return `— ${lookOf(message).name} —\n${message.text === null ? 'Not recorded' : textOf(toBlocks(message.text), 2)}`
}

const OneMessage = memo(function OneMessage({ message }: { message: Message }) {
	const [isRaw, setIsRaw] = useState(false)
	const text = message.text ?? ''
	const blocks = useMemo(() => toBlocks(text), [text])
	const { name, bar } = holdsResults(message, blocks) ? results : lookOf(message)
	return (
		<li className={cn('min-w-0 rounded-md border border-l-2 border-line bg-surface px-3 py-2', bar)}>
			<div className="mb-1 flex flex-wrap items-center gap-2 text-xs text-ink-3">
				<span className="flex-1 font-medium text-ink-2">
					{name}
					{message.cut && ' · cut'}
				</span>
				<button
					type="button"
					aria-pressed={isRaw}
					aria-label={`Raw ${name.toLowerCase()}`}
					onClick={() => setIsRaw(!isRaw)}
					className={cn('h-7 rounded-md px-2 hover:bg-hover', isRaw && 'bg-hover text-ink')}
				>
					Raw
				</button>
				<CopyButton text={isRaw ? text : textOf(blocks)} />
			</div>
			{message.text === null ? (
				<p className="text-ink-3">Not recorded</p>
			) : isRaw ? (
				<pre
					{...scrollRegion(`Raw ${name}`)}
					className="max-h-96 overflow-auto rounded-md bg-canvas p-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
				>
					{text}
				</pre>
			) : (
				<Blocks blocks={blocks} />
			)}
		</li>
	)
})

function Blocks({ blocks }: { blocks: readonly Block[] }) {
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-2">
			{joinEqual(blocks).map(({ block, times }, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the blocks never change places
				<OneBlock key={at} block={block} times={times} />
			))}
		</div>
	)
}

/** Equal consecutive tool calls of a model are shown once with their number. */
function joinEqual(blocks: readonly Block[]): { block: Block; times: number }[] {
	const joined: { block: Block; times: number; text: string }[] = []
	for (const block of blocks) {
		const last = joined.at(-1)
		const text = block.type === 'tool_call' ? textOf([block]) : ''
		if (last && text !== '' && last.text === text) last.times += 1
		else joined.push({ block, times: 1, text })
	}
	return joined
}

function OneBlock({ block, times }: { block: Block; times: number }) {
	if (block.type === 'text') return <Text text={block.text} isThought={block.isThought ?? false} />
	if (block.type === 'json') return <JsonTree value={block.value} label="JSON" />
	if (block.type === 'image')
		return block.source ? (
			<img
				src={block.source}
				alt="In the message"
				className="max-h-80 max-w-full rounded-md border border-line"
			/>
		) : (
			<p className="text-ink-3">Image: {block.description}</p>
		)
	if (block.type === 'tool_call')
		return (
			<div>
				<p className="mb-1 flex items-center gap-1.5 font-medium">
					<Icon name="tool" className="size-3.5 text-tool" />
					<span className="sr-only">Tool call </span>
					<span className="wrap-anywhere">
						{times > 1 && `${times} × `}
						{block.name}
					</span>
				</p>
				<JsonTree value={block.arguments} label="Arguments" />
			</div>
		)
	return (
		<div className="border-l-2 border-line pl-3">
			<p className="mb-1 text-xs text-ink-3">Tool result{block.name && ` · ${block.name}`}</p>
			<Blocks blocks={block.content} />
		</div>
	)
}

const shownAtOnce = 4000

/** A long text is folded and can be opened. */
function Text({ text, isThought }: { text: string; isThought: boolean }) {
	const [isWhole, setIsWhole] = useState(false)
	const isLong = text.length > shownAtOnce && !isWhole
	const shown = isLong ? text.slice(0, shownAtOnce) : text
	return (
		<div className={isThought ? 'text-ink-2 italic' : ''}>
			<Markdown text={shown} />
			{isLong && (
				<button
					type="button"
					onClick={() => setIsWhole(true)}
					className="mt-1 min-h-6 text-xs text-accent hover:underline"
				>
					Show all ({formatBytes(text.length)})
				</button>
			)}
		</div>
	)
}

/** The value of a text that is JSON, for other components. */
export function jsonIn(value: unknown): unknown {
	const found = typeof value === 'string' && /^\s*[[{]/.test(value) ? parse(value) : value
	return typeof found === 'object' && found !== null ? found : undefined
}
