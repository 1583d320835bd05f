import { useEffect, useState } from 'react'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'
import { scrollRegion } from './scroll-region.ts'
import { toastFailure } from './toast.tsx'

/** Copies a text, then runs `onCopied`. A browser that refuses to copy is reported. */
export async function copyText(text: string, onCopied: () => void): Promise<void> {
	// A page in a frame, or in a window without focus, may not use the clipboard API.
	const isCopied = navigator.clipboard
		? await navigator.clipboard.writeText(text).then(
				() => true,
				() => false,
			)
		: copySelected(text)
	if (isCopied) onCopied()
	else toastFailure('The browser did not allow copying. Select the text and copy it by hand.')
}

/** A page over plain HTTP, as in a local network, has no clipboard API. There the text is selected and copied by command. */
function copySelected(text: string): boolean {
	const field = document.createElement('textarea')
	field.value = text
	// Inside an open dialog, which would otherwise take the focus back.
	const place = document.querySelector('[role="dialog"]') ?? document.body
	place.append(field)
	field.select()
	const isCopied = document.execCommand('copy')
	field.remove()
	return isCopied
}

/** Copies, and shows that for two seconds. */
export function useCopy(): { copied: boolean; copy(text: string): void } {
	const [copied, setCopied] = useState(false)
	useEffect(() => {
		if (!copied) return
		const timer = setTimeout(() => setCopied(false), 2000)
		return () => clearTimeout(timer)
	}, [copied])
	const copy = (text: string) => void copyText(text, () => setCopied(true))
	return { copied, copy }
}

export function CopyButton({
	text,
	label = 'Copy',
	className,
}: {
	text: string
	label?: string
	className?: string
}) {
	const { copied, copy } = useCopy()
	return (
		<button
			type="button"
			onClick={() => copy(text)}
			className={cn(
				'inline-flex h-7 items-center gap-1.5 rounded-md border border-line bg-surface px-2 text-xs font-medium text-ink-2 hover:bg-hover hover:text-ink',
				className,
			)}
		>
			<Icon name={copied ? 'check' : 'copy'} className={cn('size-3.5', copied && 'text-ok')} />
			<span aria-live="polite">{copied ? 'Copied' : label}</span>
		</button>
	)
}

/** An id or address in a fixed-width font that is copied by a click. */
export function CopyText({ text, short }: { text: string; short?: string }) {
	const { copied, copy } = useCopy()
	return (
		<button
			type="button"
			onClick={() => copy(text)}
			title={copied ? 'Copied' : `Copy ${text}`}
			className="-mx-1 inline-flex min-h-6 max-w-full items-center gap-1 rounded px-1 font-mono text-xs text-ink-2 hover:bg-hover hover:text-ink"
		>
			<span className="truncate">{short ?? text}</span>
			<Icon name={copied ? 'check' : 'copy'} className={cn('size-3', copied ? 'text-ok' : 'text-ink-3')} />
		</button>
	)
}

/** Text that is copied as a whole: a command, a configuration. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
	return (
		<figure className="relative rounded-lg border border-line bg-sunken">
			<figcaption className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3 text-xs text-ink-3">
				{label}
				<CopyButton text={code} />
			</figcaption>
			<pre
				{...scrollRegion(label)}
				className="overflow-x-auto px-3 py-2.5 font-mono text-xs leading-relaxed text-ink"
			>
				{code}
			</pre>
		</figure>
	)
}
