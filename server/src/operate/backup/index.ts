export { createBackup } from './create-backup.ts'
export { refuseHalfRestored, restoreBackup } from './restore-backup.ts'
export { summarise, verifyBackup } from './restore-backup.ts'
