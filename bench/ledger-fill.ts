export async function fillLedger(_folder: string, _orders: number): Promise<void> {
  throw new Error('not written yet');
}
