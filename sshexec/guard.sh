# The guard: one small shell beside the server, on a channel of its own. It
# knows who belongs to the run and ends them when it is told to, when nobody has
# been in touch for the lease, or when its standard input ends because the
# connection is gone. Sent line by line with comments and indents stripped;
# MARK, LEASE are set in front of it. Plain POSIX, no files, no functions of any
# one shell.

set -f
trap '' PIPE HUP
GROUP=0 RUN=0 ALONE= TIMER= PAGE=
NL='
' CLOSE=') '

# Where to look: /proc with the marks in it, /proc without, or ps alone.
PROC= MARKS=
[ -r /proc/$$/stat ] && PROC=1
[ -n "$PROC" ] && [ -r /proc/$$/environ ] && command -v grep >/dev/null 2>&1 && MARKS=1

# list sets LIST: a line "pid ppid pgid" for each process that is not dead.
list() {
	LIST=
	if [ -n "$PROC" ]; then
		set +f
		ALL=$(cat /proc/[0-9]*/stat 2>/dev/null)
		set -f
		IFS=$NL
		for LINE in $ALL; do
			# pid (command) state ppid pgid ...; the command may hold anything.
			PID=${LINE%% *} REST=${LINE#*"$CLOSE"}
			case $PID in '' | *[!0-9]*) continue ;; esac
			case $REST in [A-Za-z]' '[0-9]*) ;; *) REST=${LINE##*"$CLOSE"} ;; esac
			case $REST in [ZXx]*) continue ;; esac
			LINE=${REST#* }
			PARENT=${LINE%% *} LINE=${LINE#* }
			PGID=${LINE%% *}
			case $PARENT$PGID in '' | *[!0-9]*) continue ;; esac
			LIST="$LIST$PID $PARENT $PGID$NL"
		done
		IFS=' '
		return
	fi
	ALL=$(ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null)
	IFS=$NL
	for LINE in $ALL; do
		IFS=' '
		set -- $LINE
		case ${4:-Z} in Z*) continue ;; esac
		LIST="$LIST$1 $2 $3$NL"
	done
	IFS=' '
}

# marked sets FOUND to the pids of those that carry the mark.
marked() {
	FOUND=' '
	[ -n "$MARKS" ] || return 0
	set +f
	# Not as an argument, which everybody on the host could read.
	ALL=$(echo "$MARK" | grep -lsF -f /proc/self/fd/0 /proc/[0-9]*/environ 2>/dev/null)
	set -f
	IFS=$NL
	for LINE in $ALL; do
		LINE=${LINE#/proc/}
		FOUND="$FOUND${LINE%/environ} "
	done
	IFS=' '
}

# look sets FOUND to the pids of the run: those that carry the mark, those of
# the group, and the descendants of both; and INGROUP to those of the group.
# Without anybody to begin with it does without the list of all processes, which
# is long on a busy host.
look() {
	marked
	LIST= LIVE=' ' INGROUP=' ' GROWN=1
	if [ "$FOUND" = ' ' ]; then
		[ "$GROUP" -gt 1 ] && kill -0 -$GROUP 2>/dev/null || return 0
	fi
	list
	while [ -n "$GROWN" ]; do
		GROWN=
		IFS=$NL
		for LINE in $LIST; do
			IFS=' '
			set -- $LINE
			case $LIVE in *" $1 "*) continue ;; esac
			[ "$1" -gt 1 ] && [ "$1" != "$$" ] || continue
			if [ "$GROUP" -gt 1 ] && [ "$3" = "$GROUP" ]; then
				INGROUP="$INGROUP$1 "
			else
				case $FOUND in *" $1 "* | *" $2 "*) ;; *) continue ;; esac
			fi
			case $FOUND in *" $1 "*) ;; *) FOUND="$FOUND$1 " ;; esac
			LIVE="$LIVE$1 " GROWN=1
		done
		IFS=' '
	done
	FOUND=$LIVE
}

# tell PREFIX PIDS... writes two lines for each process: pid, parent and KiB of
# memory, and the command.
tell() {
	PREFIX=$1
	shift
	for PID in $*; do
		PARENT=0 SIZE=0
		IFS=$NL
		for LINE in $LIST; do
			case $LINE in "$PID "*)
				PARENT=${LINE#* }
				PARENT=${PARENT%% *}
				break
				;;
			esac
		done
		IFS=' '
		if [ -n "$PROC" ]; then
			[ -n "$PAGE" ] || PAGE=$(getconf PAGESIZE 2>/dev/null || echo 4096)
			{ read -r ALL SIZE REST </proc/$PID/statm; } 2>/dev/null
			echo "$PREFIX $PID $PARENT $((${SIZE:-0} * PAGE / 1024))"
			tr '\000\n' '  ' </proc/$PID/cmdline 2>/dev/null
		else
			SIZE=$(ps -o rss= -p $PID 2>/dev/null)
			echo "$PREFIX $PID $PARENT ${SIZE:-0}"
			ps -o args= -p $PID 2>/dev/null | tr '\n' ' '
		fi
		echo
	done
}

# strike SIGNAL PIDS...
strike() {
	SIGNAL=$1
	shift
	[ "$INGROUP" != ' ' ] && kill -$SIGNAL -$GROUP 2>/dev/null
	for PID in $*; do
		case $INGROUP in *" $PID "*) ;; *) kill -$SIGNAL $PID 2>/dev/null ;; esac
	done
}

# pause is a moment: a tenth of a second where sleep can do that.
pause() { sleep 0.1 2>/dev/null || sleep 1; }

# slay kills until three looks in a row find nobody, or gives up. It tells
# whom it killed, once each, and who is left.
slay() {
	ROUND=0 CALM=0 TOLD=' '
	while [ $ROUND -lt 40 ]; do
		look
		if [ "$FOUND" = ' ' ]; then
			CALM=$((CALM + 1))
			[ "$TOLD" = ' ' ] && break
			[ $CALM -ge 3 ] && break
			continue
		fi
		CALM=0 NEW=
		for PID in $FOUND; do
			case $TOLD in *" $PID "*) ;; *) NEW="$NEW $PID" TOLD="$TOLD$PID " ;; esac
		done
		[ -n "$1" ] && [ -n "$NEW" ] && tell M $NEW
		strike KILL $FOUND
		ROUND=$((ROUND + 1))
		[ $ROUND -gt 3 ] && pause
	done
	[ -n "$1" ] && [ "$FOUND" != ' ' ] && tell L $FOUND
	return 0
}

# finish is the end without anybody to tell: TERM, a second, KILL.
finish() {
	look
	[ "$FOUND" != ' ' ] && strike TERM $FOUND
	ROUND=0
	while [ $ROUND -lt 10 ] && [ "$FOUND" != ' ' ]; do
		pause
		look
		ROUND=$((ROUND + 1))
	done
	# Somebody may be in the middle of an exec, without a mark to be seen.
	for ROUNDS in 1 2 3 4 5; do
		slay
		pause
	done
}

# calm stops the clock. One that has run out does not come back from here.
calm() {
	[ -n "$TIMER" ] && kill $TIMER 2>/dev/null
	TIMER=
}

# lease starts the clock, or sets it back. The clock is a process of its own,
# because no POSIX read has a time limit, and nobody's child, because a shell
# that only reads does not reap. It knows the run as it was when it started.
lease() {
	[ "$LEASE" -gt 0 ] || return 0
	[ -n "$TIMER" ] && kill -USR1 $TIMER 2>/dev/null && return 0
	TIMER=$(
		clock &
		echo $!
	)
}

# clock sleeps for short times, and is told that it is set back when one is
# over: so no signal is ever missed, and what still sleeps when the clock is
# stopped does not sleep for long. Who started it waits for its standard output
# to end, that is until a signal does not kill it any more.
clock() {
	TIME=0 TICK=$(((LEASE + 9) / 10))
	trap 'TIME=0' USR1
	exec </dev/null >/dev/null 2>&1
	while [ $TIME -lt $LEASE ]; do
		sleep $TICK
		TIME=$((TIME + TICK))
	done
	trap '' TERM USR1
	finish
	kill -KILL $$
}

# scope WHOM sets FOUND and INGROUP to those that a signal is for. Without a
# group of its own, the group of a run is all of it.
scope() {
	look
	case $1 in
	leader)
		INGROUP=' '
		case $FOUND in *" $RUN "*) FOUND=" $RUN " ;; *) FOUND=' ' ;; esac
		;;
	group) [ -n "$ALONE" ] || FOUND=$INGROUP ;;
	esac
}

command -v sleep >/dev/null 2>&1 || LEASE=0
echo
echo "ARMED-$MARK $$ ${PROC:-0} ${MARKS:-0} $LEASE"

while IFS= read -r LINE; do
	IFS=' '
	set -- $LINE
	case $1 in
	B) # heartbeat
		lease
		echo "E $2"
		;;
	P) # the run: pid, and its group or 0. Before it nothing runs, and no clock
		RUN=$3 GROUP=$4
		[ "$GROUP" = 0 ] && ALONE=1
		calm
		lease
		echo "E $2"
		;;
	X) # the leader has ended: its numbers may soon be anybody's
		RUN=0
		look
		[ "$INGROUP" = ' ' ] && GROUP=0
		calm
		lease
		[ "$FOUND" != ' ' ] && tell M $FOUND
		echo "E $2"
		;;
	T) # the tree
		look
		[ "$FOUND" != ' ' ] && tell M $FOUND
		echo "E $2"
		;;
	S) # a signal: name, scope
		scope $4
		[ "$FOUND" != ' ' ] && tell M $FOUND && strike $3 $FOUND
		echo "E $2"
		;;
	K) # kill them all
		slay tell
		echo "E $2"
		;;
	Q) # nothing is left to guard
		calm
		exit 0
		;;
	esac
done
calm
finish
exit 0
