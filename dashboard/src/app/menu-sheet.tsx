import { Dialog as Radix } from 'radix-ui'
import { SideBar } from './side-bar.tsx'

/** The side bar as an overlay on a narrow screen. */
export function MenuSheet({ onClose }: { onClose(): void }) {
	return (
		<Radix.Root open onOpenChange={(open) => !open && onClose()}>
			<Radix.Portal>
				<Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
				<Radix.Content
					aria-describedby={undefined}
					className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] border-r border-line bg-surface shadow-float focus:outline-none"
				>
					<Radix.Title className="sr-only">Menu</Radix.Title>
					<SideBar inMenu />
				</Radix.Content>
			</Radix.Portal>
		</Radix.Root>
	)
}
