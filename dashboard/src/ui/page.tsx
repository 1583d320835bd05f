import { type ReactNode, useEffect } from 'react'
import { showDirections } from '../lib/show-hidden.ts'
import { cn } from './cn.ts'

interface PageProps {
	title: string
	/** Above the title: the parent object. */
	above?: ReactNode
	/** Next to the title: the object's state. */
	beside?: ReactNode
	description?: ReactNode
	actions?: ReactNode
	/** As wide as the window, for content that is read side by side. */
	wide?: boolean
	children: ReactNode
}

/** One screen: its heading, its actions, and the content. */
export function Page({ title, above, beside, description, actions, wide, children }: PageProps) {
	useEffect(() => {
		document.title = `${title} · Signalbox`
	}, [title])
	return (
		<div
			className={cn(
				'mx-auto w-full px-4 py-5 sm:px-6 lg:px-8 lg:py-7',
				wide ? 'max-w-[2200px]' : 'max-w-[1320px]',
			)}
		>
			<header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
				<div className="min-w-0 flex-1 basis-72">
					{above && <div className="mb-1 text-xs text-ink-3">{above}</div>}
					<div className="flex flex-wrap items-center gap-x-3 gap-y-1">
						<h1 className="wrap-anywhere text-xl font-semibold tracking-tight">{showDirections(title)}</h1>
						{beside}
					</div>
					{description && <div className="mt-0.5 max-w-3xl wrap-anywhere text-ink-2">{description}</div>}
				</div>
				{actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
			</header>
			{children}
		</div>
	)
}

interface PanelProps {
	title?: ReactNode
	actions?: ReactNode
	/** Without padding, for tables. */
	flush?: boolean
	className?: string
	children: ReactNode
}

export function Panel({ title, actions, flush, className, children }: PanelProps) {
	return (
		<section className={cn('min-w-0 rounded-xl border border-line bg-surface', className)}>
			{title && (
				<header className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line py-1.5 pr-3 pl-4">
					<h2 className="wrap-anywhere font-semibold">{title}</h2>
					{actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
				</header>
			)}
			<div className={flush ? '' : 'p-4'}>{children}</div>
		</section>
	)
}

/** A short list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
	return (
		<dl className="grid items-baseline grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
			{facts.map(([name, value]) => (
				<div key={name} className="contents">
					<dt className="text-ink-3">{name}</dt>
					<dd className="min-w-0 break-words">{value}</dd>
				</div>
			))}
		</dl>
	)
}
