import { spanStatusMeanings } from '@signalbox/contract/span-status'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'accent'

const tones: Record<Tone, string> = {
	ok: 'text-ok bg-ok-soft',
	warn: 'text-warn bg-warn-soft',
	bad: 'text-bad bg-bad-soft',
	idle: 'text-ink-2 bg-idle-soft',
	accent: 'text-accent bg-accent-soft',
}

/** Each tone also has its own sign, so that states are not distinguished by colour alone. */
const signs: Record<Tone, IconName> = {
	ok: 'check',
	warn: 'alert',
	bad: 'close',
	idle: 'dot',
	accent: 'info',
}

/** A state as colour, sign and word. */
export function Badge({
	tone,
	children,
	icon,
	title,
}: {
	tone: Tone
	children: ReactNode
	icon?: IconName | null
	title?: string
}) {
	return (
		<span
			title={title}
			className={cn(
				'inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-full px-2 align-middle text-xs font-medium',
				tones[tone],
			)}
		>
			{icon !== null && <Icon name={icon ?? signs[tone]} className="size-3" />}
			{children}
		</span>
	)
}

const known: Record<string, Tone> = {
	active: 'ok',
	healthy: 'ok',
	ok: 'ok',
	allowed: 'ok',
	paused: 'warn',
	degraded: 'warn',
	denied: 'warn',
	cut: 'bad',
	deploying: 'accent',
	error: 'bad',
	unhealthy: 'bad',
	secret_missing: 'bad',
}

const signOf: Record<string, IconName> = {
	paused: 'pause',
	denied: 'block',
	cut: 'stop',
	stopped: 'stop',
	interrupted: 'stop',
}

/** A state of the API with its own word. */
export function StatusBadge({ status }: { status: string }) {
	return (
		<Badge
			tone={known[status] ?? 'idle'}
			{...(signOf[status] && { icon: signOf[status] })}
			{...(status === 'cut' && { title: spanStatusMeanings.cut })}
		>
			{status.replaceAll('_', ' ')}
		</Badge>
	)
}
