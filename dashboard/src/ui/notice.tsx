import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { Icon, type IconName } from './icons.tsx'
import { type Edited, hasFields } from './use-draft.ts'

const tones = {
	ok: { icon: 'check', look: 'bg-ok-soft text-ok' },
	warn: { icon: 'alert', look: 'bg-warn-soft text-warn' },
	bad: { icon: 'alert', look: 'bg-bad-soft text-bad' },
	idle: { icon: 'info', look: 'bg-sunken text-ink-2' },
} as const satisfies Record<string, { icon: IconName; look: string }>

interface NoticeProps {
	tone: keyof typeof tones
	title?: string
	className?: string
	children: ReactNode
}

/** Above the button of a form: saving would undo what somebody else did. The person chooses between the two values. */
export function OvertakenNotice({ edited: { overtaken, takeTheirs } }: { edited: Edited }) {
	if (!hasFields(overtaken)) return null
	// Lists and the ids of objects would not be understood without their fields, which show them after the choice.
	const texts = Object.entries(overtaken).filter(
		([field, value]) => typeof value === 'string' && value !== '' && !/id$/i.test(field),
	)
	return (
		<Notice tone="warn" title="Changed in the meantime">
			<p>
				Somebody else has changed a field that you have changed too. Saving replaces that value with yours.
			</p>
			{texts.map(([field, value]) => (
				<p key={field} className="mt-1 whitespace-pre-line">
					Their value: {value}
				</p>
			))}
			<Button small className="mt-2" onClick={takeTheirs}>
				Use theirs
			</Button>
		</Notice>
	)
}

/** Something the reader should know before continuing. Screen readers read an error out at once. */
export function Notice({ tone, title, className, children }: NoticeProps) {
	const { icon, look } = tones[tone]
	return (
		<div
			{...(tone === 'bad' && { role: 'alert' })}
			className={cn('flex gap-2 rounded-md px-3 py-2', look, className)}
		>
			<Icon name={icon} className="mt-0.5" />
			<div className="min-w-0 flex-1">
				{title && <p className="font-medium">{title}</p>}
				<div className="break-words">{children}</div>
			</div>
		</div>
	)
}
