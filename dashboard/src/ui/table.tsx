import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'
import { scrollRegion } from './scroll-region.ts'

/** A table that scrolls sideways by itself on a narrow screen. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
	return (
		<section {...scrollRegion(label)} className="relative overflow-x-auto">
			<table className="w-full border-collapse text-left">
				<caption className="sr-only">{label}</caption>
				{children}
			</table>
		</section>
	)
}

export function Th({ right, className, ...rest }: { right?: boolean } & ComponentProps<'th'>) {
	return (
		<th
			scope="col"
			{...rest}
			className={cn(
				'h-8 whitespace-nowrap border-b border-line px-3 text-xs font-medium text-ink-3 first:pl-4 last:pr-4',
				right && 'text-right',
				className,
			)}
		/>
	)
}

/** The header of the column of buttons; only screen readers read it. */
export function ThActions({ label = 'Actions' }: { label?: string }) {
	return (
		<Th right>
			<span className="sr-only">{label}</span>
		</Th>
	)
}

export function Td({ right, className, ...rest }: { right?: boolean } & ComponentProps<'td'>) {
	return (
		<td
			{...rest}
			className={cn(
				'h-10 border-b border-line px-3 py-1.5 first:pl-4 last:pr-4',
				right && 'text-right whitespace-nowrap tabular-nums',
				className,
			)}
		/>
	)
}

export function Row({ className, ...rest }: ComponentProps<'tr'>) {
	return (
		<tr {...rest} className={cn('hover:bg-hover [tbody:last-child>&:last-child>td]:border-b-0', className)} />
	)
}
