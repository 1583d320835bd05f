import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons.tsx'

interface SecretOnceProps {
	/** The reader's word for it: `key` or `token`. */
	what: string
	secret: string
	onDone(): void
	children?: ReactNode
}

/** A secret at the only time that it can be seen. Closing requires a confirmation that it was stored. */
export function SecretOnce({ what, secret, onDone, children }: SecretOnceProps) {
	const [isStored, setIsStored] = useState(false)
	return (
		<>
			<p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
				<Icon name="alert" className="mt-0.5" />
				Copy the {what} now – you won’t see it again.
			</p>
			<div className="mt-3 flex items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-3">
				<code data-testid="secret" className="min-w-0 flex-1 font-mono text-xs break-all select-all">
					{secret}
				</code>
				<CopyButton text={secret} label={`Copy ${what}`} />
			</div>
			{children && <div className="mt-5">{children}</div>}
			<div className="mt-4">
				<CheckLine label={`I have stored the ${what}`} checked={isStored} onChange={setIsStored}>
					I have stored the {what}
				</CheckLine>
			</div>
			<DialogActions>
				<Button variant="primary" disabled={!isStored} onClick={onDone}>
					Done
				</Button>
			</DialogActions>
		</>
	)
}
