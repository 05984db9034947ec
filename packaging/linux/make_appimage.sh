#!/bin/sh
# Make an AppImage of the folder that PyInstaller built (make bundle): an AppDir, which starts as it is, and, where
# appimagetool is on the PATH, the one file of it. The first argument is the folder for both; dist by default.
set -eu
cd "$(dirname "$0")/../.."
TARGET=${1:-dist}
APPDIR=$TARGET/Antidiag.AppDir
[ -x "$TARGET/antidiag/antidiag-gui" ] || { echo "make_appimage: $TARGET/antidiag is not built; run: make bundle" >&2; exit 2; }

rm -rf "$APPDIR"
mkdir -p "$APPDIR/usr/share/applications" "$APPDIR/usr/share/metainfo" "$APPDIR/usr/share/mime/packages"
cp -a "$TARGET/antidiag" "$APPDIR/usr/bin"
cp packaging/linux/antidiag.desktop "$APPDIR/"
cp packaging/linux/antidiag.desktop "$APPDIR/usr/share/applications/"
cp packaging/linux/antidiag.metainfo.xml "$APPDIR/usr/share/metainfo/"
cp packaging/linux/antidiag-mime.xml "$APPDIR/usr/share/mime/packages/antidiag.xml"
cp packaging/icons/antidiag.png "$APPDIR/antidiag.png"
ln -s antidiag.png "$APPDIR/.DirIcon"
cat > "$APPDIR/AppRun" <<'RUN'
#!/bin/sh
# A command runs the command line, anything else opens the window with the files named.
exec "$(dirname "$(readlink -f "$0")")/usr/bin/antidiag" "$@"
RUN
chmod +x "$APPDIR/AppRun"
echo "made $APPDIR"

if command -v appimagetool >/dev/null; then
    ARCH=$(uname -m) appimagetool "$APPDIR" "$TARGET/Antidiag-$(uname -m).AppImage"
else
    echo "appimagetool is not installed; with it, $TARGET/Antidiag-$(uname -m).AppImage is made too"
fi
