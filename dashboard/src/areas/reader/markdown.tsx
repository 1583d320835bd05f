import { createContext, Fragment, type ReactNode, useContext } from 'react'
import { cn } from '../../ui/cn.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { scrollGroup } from '../../ui/scroll-region.ts'

/**
 * Renders the Markdown that models write: headings, lists, quotes, tables, code, emphasis, links. It creates elements and never HTML,
 * so that nothing in a message can become part of the page; images and HTML stay text.
 */
/** For a documentation page, which has headings with fragments and links to other pages; a message has neither. */
export interface MarkdownPage {
	sectionId(heading: string): string
	/** Renders a link to another page or section. */
	link(href: string, label: ReactNode): ReactNode
}

export const MarkdownPageContext = createContext<MarkdownPage | null>(null)

export function Markdown({ text }: { text: string }) {
	return <div className="grid grid-cols-[minmax(0,1fr)] gap-2 wrap-anywhere">{toBlocks(text)}</div>
}

const fence = /^\s*(```|~~~)\s*([\w+#.-]*)/
const heading = /^(#{1,6})\s+(.*)$/
const item = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const tableLine = /^\s*\|.*\|\s*$/

function toBlocks(text: string): ReactNode[] {
	const lines = text.replaceAll('\r\n', '\n').split('\n')
	const blocks: ReactNode[] = []
	let at = 0
	const take = (belongs: (line: string) => boolean) => {
		const from = at
		while (at < lines.length && belongs(lines[at] as string)) at += 1
		return lines.slice(from, at)
	}
	while (at < lines.length) {
		const line = lines[at] as string
		const key = at
		const opened = fence.exec(line)
		if (opened) {
			at += 1
			const code = take((next) => !next.trimStart().startsWith(opened[1] as string))
			at += 1
			blocks.push(<Code key={key} code={code.join('\n')} language={opened[2] || 'code'} />)
		} else if (line.trim() === '') at += 1
		else if (heading.test(line)) {
			at += 1
			const [, marks = '', title = ''] = heading.exec(line) ?? []
			blocks.push(<Heading key={key} level={marks.length} text={title} />)
		} else if (tableLine.test(line))
			blocks.push(<MarkdownTable key={key} lines={take((next) => tableLine.test(next))} />)
		else if (item.test(line))
			blocks.push(
				<List
					key={key}
					lines={take((next) => item.test(next) || (/^\s{2,}\S/.test(next) && !fence.test(next)))}
				/>,
			)
		else if (line.startsWith('>'))
			blocks.push(
				<blockquote key={key} className="border-l-2 border-line pl-3 text-ink-2">
					{toBlocks(
						take((next) => next.startsWith('>'))
							.map((next) => next.replace(/^> ?/, ''))
							.join('\n'),
					)}
				</blockquote>,
			)
		else {
			const own = take(
				(next) => next.trim() !== '' && !fence.test(next) && !item.test(next) && !heading.test(next),
			)
			blocks.push(
				<p key={key} className="whitespace-pre-wrap">
					{inline(own.join('\n'))}
				</p>,
			)
		}
	}
	return blocks
}

const headingStyles = 'scroll-mt-4 mt-3 font-semibold first:mt-0'

function Heading({ level, text }: { level: number; text: string }) {
	const page = useContext(MarkdownPageContext)
	if (!page) return <p className="font-semibold">{inline(text)}</p>
	const Tag = level <= 2 ? 'h2' : 'h3'
	return (
		<Tag id={page.sectionId(text)} className={cn(headingStyles, level <= 2 && 'text-base')}>
			{inline(text)}
		</Tag>
	)
}

function List({ lines }: { lines: readonly string[] }) {
	const isOrdered = item.exec(lines[0] ?? '')?.[2] !== undefined
	const Tag = isOrdered ? 'ol' : 'ul'
	return (
		<Tag className={`${isOrdered ? 'list-decimal' : 'list-disc'} grid gap-0.5 pl-5`}>
			{lines.map((line, at) => {
				const [, indent = '', , text = line.trim()] = item.exec(line) ?? []
				return (
					// biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
					<li key={at} style={{ marginLeft: Math.min(indent.length, 8) * 6 }}>
						{inline(text)}
					</li>
				)
			})}
		</Tag>
	)
}

function MarkdownTable({ lines }: { lines: readonly string[] }) {
	const rows = lines
		.filter((line) => !/^[\s|:-]+$/.test(line))
		.map((line) => line.trim().slice(1, -1).split('|'))
	return (
		<div {...scrollGroup('Table in the message')} className="overflow-x-auto">
			<table className="wrap-break-word border-collapse text-left">
				<tbody>
					{rows.map((cells, row) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: rows never change places
						<tr key={row} className={row === 0 ? 'font-medium' : ''}>
							{cells.map((cell, column) => (
								// biome-ignore lint/suspicious/noArrayIndexKey: cells never change places
								<td key={column} className="border border-line px-2 py-1 align-top">
									{inline(cell.trim())}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	)
}

export function Code({ code, language }: { code: string; language: string }) {
	return (
		<figure className="rounded-md border border-line bg-canvas">
			<figcaption className="flex items-center justify-between py-1 pr-1 pl-3 text-xs text-ink-3">
				{language}
				<CopyButton text={code} />
			</figcaption>
			<pre
				{...scrollGroup(language)}
				className="max-h-96 overflow-auto px-3 pb-2.5 font-mono text-xs leading-relaxed"
			>
				{code}
			</pre>
		</figure>
	)
}

const spans =
	/(`[^`\n]+`)|\*\*([^*\n]+)\*\*|__([^_\n]+)__|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|\[([^\]\n]+)\]\(([^\s)]+)\)/g

/** A link shows its target, and sends no referrer to it. */
function Link({ href, label, source }: { href: string; label: string; source: string }) {
	const page = useContext(MarkdownPageContext)
	if (!/^https?:\/\//.test(href)) return page ? page.link(href, inline(label)) : source
	return (
		<a href={href} title={href} target="_blank" rel="noreferrer noopener" className="text-accent underline">
			{page ? inline(label) : label}
		</a>
	)
}

function inline(text: string): ReactNode {
	const parts: ReactNode[] = []
	let from = 0
	for (const found of text.matchAll(spans)) {
		const [whole, code, strong, strongToo, emphasis, label, href] = found
		parts.push(text.slice(from, found.index))
		from = found.index + whole.length
		if (code)
			parts.push(<code className="rounded bg-canvas px-1 font-mono text-[0.92em]">{code.slice(1, -1)}</code>)
		else if (strong ?? strongToo) parts.push(<strong>{strong ?? strongToo}</strong>)
		else if (emphasis) parts.push(<em>{emphasis}</em>)
		else parts.push(<Link href={href ?? ''} label={label ?? ''} source={whole} />)
	}
	parts.push(text.slice(from))
	// biome-ignore lint/suspicious/noArrayIndexKey: the parts never change places
	return parts.map((part, at) => <Fragment key={at}>{part}</Fragment>)
}
